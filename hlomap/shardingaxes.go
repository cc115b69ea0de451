package hlomap

import (
	"math"
	"slices"
)

// ParseSharding reads the sharding attribute of an array as XLA prints it: "{replicated}", "{devices=[8,1]<=[8]}",
// "{devices=[2,1,4]<=[8] last_tile_dim_replicate}", "{maximal device=0}". It returns false for shardings of tuples and for
// text that is none.
func ParseSharding(text string) (*Sharding, bool) { return parseSharding(text) }

// Replicated reports whether every device holds the whole array.
func (s *Sharding) Replicated() bool { return s.kind == shardingReplicated }

// Maximal reports whether one device holds the whole array and the others nothing, as callbacks ask for.
func (s *Sharding) Maximal() bool { return s.kind == shardingMaximal }

// Tiles returns into how many parts each dimension of the array is cut, nil when the sharding cuts none.
func (s *Sharding) Tiles() []int {
	if s.kind != shardingTiled {
		return nil
	}
	return s.tiles
}

// Axes returns the axes of a mesh along which each dimension of the array is cut, major first. It returns false when no
// whole axes of the mesh give this sharding.
func (s *Sharding) Axes(mesh *Mesh) ([][]string, bool) {
	if s.kind == shardingReplicated {
		return nil, true
	}
	if s.kind != shardingTiled || mesh == nil || s.places() != mesh.Devices() {
		return nil, false
	}
	axes := make([][]string, len(s.tiles))
	for d := range s.tiles {
		along, ok := mesh.axesInOrder(s.along(d))
		if !ok {
			return nil, false
		}
		if len(along) > 0 {
			axes[d] = along
		}
	}
	return axes, true
}

// wholeShape returns the shape of the array of which every device holds a part of the given shape, nil where tiles do not fit it.
func (s *Sharding) wholeShape(part []int64) []int64 {
	out := slices.Clone(part)
	if out == nil {
		out = []int64{}
	}
	if s.kind != shardingReplicated && s.kind != shardingTiled && s.kind != shardingMaximal {
		return nil
	}
	for k, n := range s.Tiles() {
		if k >= len(out) || n < 1 || out[k] > math.MaxInt64/int64(n) {
			return nil
		}
		if out[k] >= 0 {
			out[k] *= int64(n)
		}
	}
	return out
}
