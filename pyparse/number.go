package pyparse

import (
	"math/big"
	"strconv"
	"strings"
)

// Int returns the value of an integer literal, optionally behind signs and in parentheses, and false for anything else or when it
// does not fit 64 bits.
func (f *File) Int(n NodeID) (int64, bool) {
	n = f.Unwrap(n)
	switch f.KindOf(n) {
	case KindInteger:
		if v, ok := f.plainInt(n); ok {
			return v, true
		}
		v, ok := new(big.Int).SetString(strings.ToLower(strings.ReplaceAll(f.Text(n), "_", "")), 0)
		if !ok {
			// Python allows any number of leading zeros before zero; base 0 does not read them as decimal.
			return 0, strings.Trim(f.Text(n), "0_") == ""
		}
		return v.Int64(), v.IsInt64()
	case KindUnaryOperator:
		v, ok := f.Int(f.Child(n, FieldArgument))
		switch f.Operator(n) {
		case "-":
			return -v, ok
		case "+":
			return v, ok
		case "~":
			return ^v, ok
		}
	}
	return 0, false
}

// Float returns the value of an integer or floating-point literal, optionally behind signs and in parentheses. Imaginary literals
// are none.
func (f *File) Float(n NodeID) (float64, bool) {
	n = f.Unwrap(n)
	switch f.KindOf(n) {
	case KindFloat:
		v, err := strconv.ParseFloat(strings.ReplaceAll(f.Text(n), "_", ""), 64)
		return v, err == nil
	case KindInteger:
		v, ok := f.Int(n)
		return float64(v), ok
	case KindUnaryOperator:
		v, ok := f.Float(f.Child(n, FieldArgument))
		switch f.Operator(n) {
		case "-":
			return -v, ok
		case "+":
			return v, ok
		}
	}
	return 0, false
}

// plainInt reads the usual integer literal: up to 18 decimal digits, which fit 64 bits.
func (f *File) plainInt(n NodeID) (int64, bool) {
	text := f.Bytes(n)
	if len(text) == 0 || len(text) > 18 || text[0] == '0' && len(text) > 1 {
		return 0, false
	}
	v := int64(0)
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = 10*v + int64(c-'0')
	}
	return v, true
}
