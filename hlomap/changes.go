package hlomap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shardls/shardls/internal/units"
)

// countDifferences returns in how many things two exchanges differ, without saying it in words.
func countDifferences(b, a *Exchange) int {
	n := 0
	for _, differs := range [maxDifferences]bool{
		b.Opcode != a.Opcode,
		b.OperandDType != a.OperandDType || b.ResultDType != a.ResultDType || b.ReducerDType != a.ReducerDType,
		b.Bytes != a.Bytes,
		!sameDevices(b, a),
		!equalCounts(b.Executions, a.Executions),
		b.InLoop != a.InLoop,
		b.Combined != a.Combined,
	} {
		if differs {
			n++
		}
	}
	return n
}

// changeOf says in what two exchanges differ.
func changeOf(b, a *Exchange) ExchangeChange {
	c := ExchangeChange{Before: *b, After: *a}
	note := func(what, words string) {
		c.What, c.Words = append(c.What, what), append(c.Words, words)
	}
	if b.Opcode != a.Opcode {
		note("opcode", fmt.Sprintf("%s instead of %s", a.Opcode, b.Opcode))
	}
	if b.OperandDType != a.OperandDType || b.ResultDType != a.ResultDType || b.ReducerDType != a.ReducerDType {
		verb := "sent"
		if a.ReducerDType != "" {
			verb = "summed"
		}
		note("dtype", fmt.Sprintf("%s in %s instead of %s", verb, a.dtypes(), b.dtypes()))
	}
	if b.Bytes != a.Bytes {
		now, then := bytesText(a.Bytes), bytesText(b.Bytes)
		if now == then { // they differ by less than what is printed
			now, then = fmt.Sprintf("%d B", a.Bytes), fmt.Sprintf("%d B", b.Bytes)
		}
		note("bytes", fmt.Sprintf("%s instead of %s each time", now, then))
	}
	if !sameDevices(b, a) {
		note("axes", devicesWords(b, a))
	}
	if !equalCounts(b.Executions, a.Executions) {
		note("executions", fmt.Sprintf("%s instead of %s", timesText(a.Executions), timesText(b.Executions)))
	}
	if b.InLoop != a.InLoop {
		words := "moved out of a loop"
		if a.InLoop {
			words = "moved into a loop"
		}
		note("placement", words)
	}
	if b.Combined != a.Combined {
		words := "no longer combined with others"
		if a.Combined {
			words = "combined with others"
		}
		note("combined", words)
	}
	return c
}

// dtypes spells the element types of an exchange: one where operand, result and reducer agree, else "bf16>f32(f32)":
// operand, result and, in parentheses, reducer.
func (e *Exchange) dtypes() string {
	if e.OperandDType == "" {
		return "an unknown type"
	}
	if (e.ResultDType == "" || e.ResultDType == e.OperandDType) && (e.ReducerDType == "" || e.ReducerDType == e.OperandDType) {
		return e.OperandDType
	}
	s := e.OperandDType + ">" + e.ResultDType
	if e.ReducerDType != "" {
		s += "(" + e.ReducerDType + ")"
	}
	return s
}

// sameDevices reports whether two exchanges are over the same axes of equal sizes. Where the axes of one of them have no names, the
// devices themselves are compared: that one dump names its mesh and the other doesn't is no change of the program.
func sameDevices(b, a *Exchange) bool {
	named := b.Axes != nil && a.Axes != nil
	switch {
	case !named:
		return b.devices == a.devices
	case (b.Shift == nil) != (a.Shift == nil):
		return false
	case b.Shift != nil:
		return *b.Shift == *a.Shift
	}
	return slices.Equal(b.Axes, a.Axes) && b.GroupSize == a.GroupSize
}

// devicesWords says between which devices an exchange is now, and was before.
func devicesWords(b, a *Exchange) string {
	now, then := a.over(), b.over()
	if now == then { // the same axes of meshes of other sizes
		now, then = a.overDevices(), b.overDevices()
	}
	if now == then {
		return "between other devices"
	}
	return fmt.Sprintf("over %s instead of %s", now, then)
}

func (e *Exchange) over() string {
	switch {
	case e.Shift != nil:
		return e.Shift.String()
	case len(e.Axes) > 0:
		return strings.Join(e.Axes, ", ")
	case e.GroupSize > 0:
		return fmt.Sprintf("groups of %d", e.GroupSize)
	case e.devices != 0:
		return "pairs along no one axis"
	}
	return "unknown devices"
}

// overDevices is over with the number of devices that exchange with each other.
func (e *Exchange) overDevices() string {
	switch {
	case e.GroupSize == 0:
		return e.over()
	case e.GroupSize == 1:
		return e.over() + " (1 device)"
	case e.Axes == nil:
		return e.over() + " devices"
	}
	return fmt.Sprintf("%s (%d devices)", e.over(), e.GroupSize)
}

func bytesText(n int64) string {
	if n < 0 {
		return "an unknown number of bytes"
	}
	return units.Bytes(n)
}

func timesText(n *int64) string {
	switch {
	case n == nil:
		return "an unknown number of times"
	case *n == 1:
		return "once a step"
	}
	return fmt.Sprintf("%d times a step", *n)
}

func equalCounts(a, b *int64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
