package hlomap

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// moduleAttr spells an attribute of the header as the text printer does. The proto has neither num_partitions nor
// replica_count: they are those of the device assignment.
func (s *protoSource) moduleAttr(key string) (string, bool) {
	v, ok := s.renderModuleAttr(key)
	if !ok {
		return "", false
	}
	return v, true
}

func (s *protoSource) renderModuleAttr(key string) (v string, ok bool) {
	switch key {
	case "num_partitions", "replica_count":
		var counts [3]uint64
		for f := fieldsOf(s.header[moduleDeviceAssignment]); f.next(); {
			if f.num < 3 {
				counts[f.num] = f.n
			}
		}
		n := counts[1]
		if key == "num_partitions" {
			n = counts[2]
		}
		return strconv.FormatUint(n, 10), n > 1
	case "is_scheduled":
		return "true", s.header[moduleSchedule] != nil
	case "frontend_attributes":
		b := s.header[moduleFrontend]
		return renderFrontend(b), len(b) > 0
	case "input_output_alias":
		b := s.header[moduleAlias]
		return renderAlias(b), len(bytesField(b, 1)) > 0
	case outputSharding:
		b, ok := s.header[moduleOutputSharding]
		return renderSharding(b, 0), ok
	case "entry_computation_layout":
		b := s.header[moduleProgramShape]
		return renderProgramShape(b), len(b) > 0
	}
	return "", false
}

func (s *protoSource) tiled() bool { return hasTiles(s.header[moduleProgramShape], 0) }

// hasTiles looks for tiles in the layouts of a ProgramShapeProto, at depth 0, or a ShapeProto. The first has the parameters in field 1
// and the result in field 2; the second has its layout in field 5 and the elements of a tuple in field 4.
func hasTiles(b []byte, depth int) (found bool) {
	if depth > maxShapeDepth {
		return false
	}
	for f := fieldsOf(b); !found && f.next(); {
		switch {
		case f.kind != protowire.BytesType:
		case f.num == 5 && depth > 0:
			found = bytesField(f.data, 6) != nil
		case f.num == 4 && depth > 0, depth == 0 && f.num <= 2:
			found = hasTiles(f.data, depth+1)
		}
	}
	return found
}

// renderAlias spells `{ {0}: (3, {}, may-alias), {1}: (5, {0}, must-alias) }`.
func renderAlias(b []byte) string {
	var entries []string
	for f := fieldsOf(b); f.next(); {
		if f.num != 1 {
			continue
		}
		var output, index []int64
		number, kind := uint64(0), uint64(0)
		for g := fieldsOf(f.data); g.next(); {
			switch g.num {
			case 1:
				output = g.appendInts(output)
			case 2:
				number = g.n
			case 3:
				index = g.appendInts(index)
			case 4:
				kind = g.n
			}
		}
		how := "may-alias"
		if kind == 2 {
			how = "must-alias"
		}
		entries = append(entries, braced(output)+": ("+strconv.FormatUint(number, 10)+", "+braced(index)+", "+how+")")
	}
	return "{ " + strings.Join(entries, ", ") + " }"
}

// renderProgramShape spells `{(f32[8]{0})->f32[8]{0}}`.
func renderProgramShape(b []byte) string {
	var params []string
	result := ""
	for f := fieldsOf(b); f.next(); {
		switch f.num {
		case 1:
			params = append(params, renderShape(f.data, 0))
		case 2:
			result = renderShape(f.data, 0)
		}
	}
	return "{(" + strings.Join(params, ", ") + ")->" + result + "}"
}

// renderShape spells a ShapeProto with its layout.
func renderShape(b []byte, depth int) string {
	s := protoShape(b, nil, maxShapeDepth)
	if depth > maxShapeDepth {
		return "()"
	}
	if s.IsTuple() {
		var parts []string
		for f := fieldsOf(b); f.next(); {
			if f.num == 4 {
				parts = append(parts, renderShape(f.data, depth+1))
			}
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	return s.DType + "[" + commas(s.Dims) + "]" + renderLayout(bytesField(b, 5))
}

// renderLayout spells the order of dimensions, the tiles and the memory space of a LayoutProto.
func renderLayout(b []byte) string {
	var order []int64
	tiles, rest := "", ""
	for f := fieldsOf(b); f.next(); {
		switch f.num {
		case 1:
			order = f.appendInts(order)
		case 6:
			var dims []int64
			for g := fieldsOf(f.data); g.next(); {
				if g.num == 1 {
					dims = g.appendInts(dims)
				}
			}
			tiles += "(" + commas(dims) + ")"
		case 7:
			if f.n > 0 {
				rest += "E(" + strconv.FormatUint(f.n, 10) + ")"
			}
		case 8:
			if f.n > 0 {
				rest += "S(" + strconv.FormatUint(f.n, 10) + ")"
			}
		}
	}
	if tiles != "" {
		rest = "T" + tiles + rest
	}
	switch {
	case rest != "":
		return "{" + commas(order) + ":" + rest + "}"
	case len(order) > 0:
		return "{" + commas(order) + "}"
	}
	return ""
}
