package flow

// countTest is the class of the outcome of a test for the number of processes. Such an outcome is the same everywhere, and tells
// whether code behind it runs in programs of one process only: Attrs holds that for the outcome true and for the outcome false.
const countTest = "process count test"

func newCountTest(made *Event, whenTrue, whenFalse bool) *Object {
	return &Object{Class: countTest, Made: made, Attrs: map[string]Value{"true": Bool(whenTrue), "false": Bool(whenFalse)}}
}

// compareCount is the outcome of comparing the number of processes with a number, nil where that tells nothing of one process.
func compareCount(op string, l, r Value) Value {
	if _, ok := l.(Int); ok {
		l, r, op = r, l, mirrored(op)
	}
	o, ok := l.(*Object)
	n, isInt := r.(Int)
	if !ok || o.Class != "process count" || !isInt {
		return nil
	}
	switch {
	case op == "==" && n == 1, op == "<=" && n == 1, op == "<" && n == 2:
		return newCountTest(o.Made, true, false)
	case op == "!=" && n == 1, op == ">" && n == 1, op == ">=" && n == 2:
		return newCountTest(o.Made, false, true)
	}
	return nil
}

// mirrored is the comparison with its operands exchanged.
func mirrored(op string) string {
	switch op {
	case "<":
		return ">"
	case "<=":
		return ">="
	case ">":
		return "<"
	case ">=":
		return "<="
	}
	return op
}

// alone reports whether code behind a condition runs in programs of one process only.
func alone(cond Value, taken bool) bool {
	o, ok := cond.(*Object)
	if !ok || o.Class != countTest {
		return false
	}
	outcome := "false"
	if taken {
		outcome = "true"
	}
	return o.Attrs[outcome] == Bool(true)
}

// inverted is the outcome of not, nil where the operand is no test for the number of processes.
func inverted(v Value) Value {
	if o, ok := v.(*Object); ok && o.Class == countTest {
		return newCountTest(o.Made, alone(o, false), alone(o, true))
	}
	return nil
}

// bothCounts is the outcome of `and` or `or` of two values, nil where neither is a test for the number of processes. What one operand
// tells of the outcome that both have to have holds for the whole.
func bothCounts(op string, l, r Value) Value {
	taken := op == "and"
	if !alone(l, taken) && !alone(r, taken) {
		return nil
	}
	return newCountTest(nil, taken, !taken)
}
