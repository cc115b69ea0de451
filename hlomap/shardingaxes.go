package hlomap

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
