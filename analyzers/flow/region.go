package flow

// RegionKind says what a region is.
type RegionKind uint8

// The kinds of regions.
const (
	TopRegion       RegionKind = iota // module level
	OpenRegion                        // a function that nothing visible calls: it may run anywhere
	JitRegion                         // the body of jit, pjit or a wrapper of them
	ManualRegion                      // the body of shard_map or smap
	PmapRegion                        // the body of pmap
	VmapRegion                        // the body of vmap
	GradRegion                        // a function being differentiated
	LoopRegion                        // the body of scan, while_loop, fori_loop, map
	BranchRegion                      // a branch of cond or switch
	RematRegion                       // checkpoint
	AxesRegion                        // auto_axes or explicit_axes
	PyLoop                            // a Python for or while loop
	DivergentRegion                   // a Python branch that only some processes take
	SingleRegion                      // a Python branch that programs of one process only take
)

// Region is one layer of what surrounds a call. Regions form a stack through Parent.
type Region struct {
	Parent *Region
	Kind   RegionKind
	At     Ref    // the call or decorator that made the region; DivergentRegion, SingleRegion: the if statement
	Call   *Event // the call that entered it

	Mesh       *Mesh
	Manual     AxisSet // axes that are manual in this region, with those of outer manual regions
	ManualAll  bool    // false when the axes are not all known
	Own        AxisSet // axes made manual by this region itself
	Checked    Tri
	Binds      []string // axis names bound for collectives
	BindsOpen  bool     // more names may be bound
	Size       int64    // pmap, vmap: size of the bound axis, -1 when unknown
	Forward    bool     // GradRegion: forward mode
	Marked     bool     // GradRegion: the variables are arrays that carry the mark of the call
	Map        *ManualCall
	SumsGrads  bool    // checked bodies sum the gradient of invarying values, as since 0.6.1
	Axes       AxisSet // AxesRegion: axes switched, empty for all
	Explicit   bool    // AxesRegion: explicit_axes
	Iterations int     // PyLoop: number of iterations where known, else 0
}

// Find returns the innermost region of one of the kinds, or nil.
func (r *Region) Find(kinds ...RegionKind) *Region {
	for ; r != nil; r = r.Parent {
		for _, k := range kinds {
			if r.Kind == k {
				return r
			}
		}
	}
	return nil
}

// InManual returns the innermost shard_map, smap or pmap region, or nil.
func (r *Region) InManual() *Region { return r.Find(ManualRegion, PmapRegion) }

// Traced reports whether the code runs under a trace: inside jit, shard_map, pmap, vmap, grad or a loop of lax.
func (r *Region) Traced() bool {
	return r.Find(JitRegion, ManualRegion, PmapRegion, VmapRegion, GradRegion, LoopRegion, BranchRegion, RematRegion) != nil
}

// UnderJit reports whether code runs inside jit or a manual region.
func (r *Region) UnderJit() bool { return r.Find(JitRegion, ManualRegion, PmapRegion) != nil }

// Open reports whether the stack ends in a function that nothing visible calls.
func (r *Region) Open() bool { return r.Find(OpenRegion) != nil }

// Bound reports whether a collective may use the axis name here; known is false when callers that are not visible could
// bind it.
func (r *Region) Bound(name string) (bound, known bool) {
	known = true
	for ; r != nil; r = r.Parent {
		if r.Kind == OpenRegion || r.BindsOpen {
			known = false
		}
		for _, b := range r.Binds {
			if b == name {
				return true, true
			}
		}
	}
	return false, known
}

// Context is the mesh context: what `with mesh:` and jax.set_mesh established, and the logical axis rules of Flax.
type Context struct {
	Legacy      *Mesh // innermost `with mesh:`
	New         *Mesh // innermost set_mesh or use_mesh
	LegacyKnown bool  // false where an unknown context manager or caller may have set one
	NewKnown    bool
	LegacyAt    Ref
	NewAt       Ref

	Rules        Value // the logical axis rules of Flax that are active, nil when there are none
	RulesUnknown bool  // true where two paths with different rules met
}

// Mesh is the mesh that with_sharding_constraint resolves bare specs with: the new context first, then the legacy one. It is
// nil when there is none; known is false when that cannot be told.
func (c *Context) Mesh() (m *Mesh, known bool) {
	if c.New != nil {
		return c.New, c.NewKnown
	}
	if !c.NewKnown {
		return nil, false
	}
	return c.Legacy, c.LegacyKnown
}
