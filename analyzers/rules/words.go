package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/hlomap"
)

// byteText spells a number of bytes with the unit a person would choose.
func byteText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n == 1:
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// cost spells what the exchanges of a cause move: "8.0 MiB per step", "2.0 MiB per iteration of the loop (unknown count)".
func (c *cause) cost() string {
	b := c.bytes()
	if b == nil {
		return "an unknown number of bytes"
	}
	if !c.exact() {
		return byteText(*b) + " each time it runs"
	}
	return byteText(*b) + " per step"
}

// over spells the axes of an exchange: "over axis 'data'", or the size of its groups where no axis is known.
func (c *cause) over() string {
	if axes := c.axes(); len(axes) > 0 {
		return overAxes(axes)
	}
	x := c.exchanges[0]
	if axes := x.Axes; len(axes) == 1 {
		return "over a part of axis '" + wholeAxis(axes[0]) + "'"
	}
	return overDevices(groupSize(x.Collective))
}

// wholeAxis is the axis of which a name may be a part: "data" of "data:(1)4".
func wholeAxis(name string) string {
	name, _, _ = strings.Cut(name, ":")
	return name
}

func overAxes(axes []string) string {
	if len(axes) == 1 {
		return "over axis '" + axes[0] + "'"
	}
	return "over axes '" + strings.Join(axes, "', '") + "'"
}

func overDevices(n int) string {
	if n == 0 {
		return "between devices"
	}
	return fmt.Sprintf("over groups of %d devices", n)
}

// opcodes spells the kinds of exchange of a cause, each once: "all-gather and all-reduce".
func (c *cause) opcodes() string {
	var names []string
	seen := map[string]bool{}
	for _, x := range c.exchanges {
		if !seen[x.Opcode] {
			seen[x.Opcode] = true
			names = append(names, x.Opcode)
		}
	}
	return and(names)
}

// and joins names as a sentence does.
func and(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// some joins at most n names and says how many are left out.
func some(names []string, n int) string {
	if len(names) <= n {
		return and(names)
	}
	return strings.Join(names[:n], ", ") + fmt.Sprintf(" and %d more", len(names)-n)
}

// gradientOf names the gradients of parameters: "gradient of a", "gradients of a and b".
func gradientOf(parameters []string) string {
	return numbered(parameters, "gradient", "gradients") + " of " + some(parameters, 3)
}

// numbered is the form of a word for as many names.
func numbered(names []string, one, several string) string {
	if len(names) == 1 {
		return one
	}
	return several
}

// arrayText spells an array as HLO does: f32[64,512].
func arrayText(a hlomap.Array) string {
	dims := make([]string, len(a.Shape))
	for i, d := range a.Shape {
		dims[i] = fmt.Sprint(d)
	}
	return a.DType + "[" + strings.Join(dims, ",") + "]"
}

// describeExchange is the note at a collective's line in the dump.
func describeExchange(c *hlomap.Collective) string {
	text := c.Name + ": " + c.Opcode
	if len(c.Results) > 0 {
		text += " of " + arrayText(c.Results[0])
	}
	if len(c.Results) > 1 {
		text += fmt.Sprintf(" and %d more", len(c.Results)-1)
	}
	if c.Executions != nil && *c.Executions != 1 {
		text += fmt.Sprintf(", %d times a step", *c.Executions)
	}
	return text
}

// subject returns the first name that an explanation of the cause gives its array, or else.
func (c *cause) subject(otherwise string) string {
	for _, w := range c.why {
		if w.subject != "" {
			return w.subject
		}
	}
	return otherwise
}

// axisName returns the axis to name in advice, or placeholder where it is not known.
func (c *cause) axisName(placeholder string) string {
	if axes := c.exchanges[0].Axes; len(axes) > 0 {
		return wholeAxis(axes[0])
	}
	return placeholder
}
