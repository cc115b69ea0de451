package hlomap

import (
	"strconv"
	"strings"
)

// The values of OpSharding.Type.
const (
	wireReplicated = 0
	wireMaximal    = 1
	wireTuple      = 2
	wireTiled      = 3
	wireManual     = 4
	wireUnknown    = 5
	wireUnreduced  = 6
)

// opSharding is an OpSharding; the field numbers are those of xla_data.proto.
type opSharding struct {
	kind                                        uint64
	dims, devices, lastDims, iotaDims, iotaPerm []int64
	tuple                                       [][]byte
	replicateLast, group                        bool
	groupID, groupKind                          uint64
	named                                       []byte
}

func readSharding(b []byte) (s opSharding) {
	for f := fieldsOf(b); f.next(); {
		switch f.num {
		case 1:
			s.kind = f.n
		case 3:
			s.dims = f.appendInts(s.dims)
		case 4:
			s.devices = f.appendInts(s.devices)
		case 5:
			s.tuple = append(s.tuple, f.data)
		case 6:
			s.replicateLast = f.n != 0
		case 8:
			s.lastDims = f.appendInts(s.lastDims)
		case 9:
			s.iotaDims = f.appendInts(s.iotaDims)
		case 10:
			s.iotaPerm = f.appendInts(s.iotaPerm)
		case 11:
			s.group = f.n != 0
		case 12:
			s.groupID = f.n
		case 13:
			s.groupKind = f.n
		case 14:
			s.named = f.data
		}
	}
	return s
}

// renderSharding spells an OpSharding as the text printer does.
func renderSharding(b []byte, depth int) string {
	s := readSharding(b)
	if depth > maxShapeDepth {
		return "{}"
	}
	if s.named != nil {
		return renderNamedSharding(s.named)
	}
	body := ""
	switch s.kind {
	case wireReplicated:
		body = "replicated"
	case wireManual:
		body = "manual"
	case wireUnknown:
		body = "unknown"
	case wireUnreduced:
		body = "unreduced"
	case wireMaximal:
		body = "maximal device=" + commas(s.devices[:min(1, len(s.devices))])
	case wireTuple:
		parts := make([]string, len(s.tuple))
		for k, e := range s.tuple {
			parts[k] = renderSharding(e, depth+1)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	default:
		body = s.tiles()
	}
	if s.group {
		word := " shard_as "
		if s.groupKind == 1 {
			word = " shard_like "
		}
		body += word + strconv.FormatUint(s.groupID, 10)
	}
	return "{" + body + "}"
}

// tiles spells `devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate`.
func (s *opSharding) tiles() string {
	out := "devices=[" + commas(s.dims) + "]"
	if len(s.iotaDims) > 0 {
		out += "<=[" + commas(s.iotaDims) + "]"
		if len(s.iotaDims) > 1 {
			out += "T(" + commas(s.iotaPerm) + ")"
		}
	} else {
		out += commas(s.devices)
	}
	if s.replicateLast {
		return out + " last_tile_dim_replicate"
	}
	if len(s.lastDims) == 0 {
		return out
	}
	kinds := make([]string, len(s.lastDims))
	for k, d := range s.lastDims {
		switch d {
		case wireManual:
			kinds[k] = "manual"
		case wireUnreduced:
			kinds[k] = "unreduced"
		default:
			kinds[k] = "replicated"
		}
	}
	return out + " last_tile_dims={" + strings.Join(kinds, ", ") + "}"
}

// renderNamedSharding spells a NamedShardingProto.
func renderNamedSharding(b []byte) string {
	var mesh protoMesh
	var dims, replicated, unreduced, manual [][]byte
	for f := fieldsOf(b); f.next(); {
		switch f.num {
		case 2:
			mesh = readMesh(f.data)
		case 3:
			dims = append(dims, f.data)
		case 4:
			replicated = append(replicated, f.data)
		case 5:
			unreduced = append(unreduced, f.data)
		case 7:
			manual = append(manual, f.data)
		}
	}
	parts := make([]string, len(dims))
	for k, d := range dims {
		var refs []string
		closed := false
		for f := fieldsOf(d); f.next(); {
			switch f.num {
			case 1:
				refs = append(refs, mesh.axisRef(f.data))
			case 2:
				closed = f.n != 0
			}
		}
		if !closed {
			refs = append(refs, "?")
		}
		parts[k] = "{" + strings.Join(refs, ", ") + "}"
	}
	out := "{" + mesh.text + ", [" + strings.Join(parts, ", ") + "]"
	for _, l := range []struct {
		key  string
		refs [][]byte
	}{{"replicated", replicated}, {"unreduced", unreduced}, {"manual", manual}} {
		if len(l.refs) == 0 {
			continue
		}
		names := make([]string, len(l.refs))
		for k, r := range l.refs {
			names[k] = mesh.axisRef(r)
		}
		out += ", " + l.key + "={" + strings.Join(names, ", ") + "}"
	}
	return out + "}"
}
