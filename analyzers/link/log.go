package link

import (
	"strconv"
	"strings"
)

// Rematerialization is one warning of the partitioner that it could not go from one sharding to another in one step and
// replicates the array first.
type Rematerialization struct {
	Line        int // 1-based line of the log
	Instruction string
	OpName      string
	From, To    string // shardings as printed
	Shape       string // of one device, as printed
}

// ParseLog finds the partitioner's warnings in a compiler log. XLA writes one line each (jaxlib 0.4 to 0.10, CPU, GPU and
// TPU); lines of other programs in between do not matter. The text holds neither file nor line: the instruction's name is
// that of the module before partitioning, except for parameters, which are renamed.
func ParseLog(log []byte) []Rematerialization {
	var found []Rematerialization
	for number, line := range strings.Split(string(log), "\n") {
		_, rest, ok := strings.Cut(line, "[SPMD] Involuntary full rematerialization")
		if !ok {
			continue
		}
		if r, ok := parseRematerialization(rest); ok {
			r.Line = number + 1
			found = append(found, r)
		}
	}
	return found
}

func parseRematerialization(text string) (Rematerialization, bool) {
	var r Rematerialization
	_, rest, ok := strings.Cut(text, "from sharding ")
	if !ok {
		return r, false
	}
	from, rest, ok := strings.Cut(rest, " to ")
	if !ok {
		return r, false
	}
	to, rest, ok := strings.Cut(rest, " efficiently for HLO operation ")
	if !ok {
		return r, false
	}
	r.From, r.To = strings.TrimSpace(from), strings.TrimSpace(to)
	name, rest, ok := strings.Cut(rest, " = ")
	if !ok {
		return r, false
	}
	r.Instruction = strings.TrimPrefix(strings.TrimSpace(name), "%")
	r.Shape, _, _ = strings.Cut(rest, " ")
	r.Shape, _, _ = strings.Cut(r.Shape, "{")
	if _, meta, ok := strings.Cut(rest, "metadata={op_name="); ok {
		if quoted, err := strconv.QuotedPrefix(meta); err == nil {
			r.OpName, _ = strconv.Unquote(quoted)
		}
	}
	return r, true
}
