package flow

// Env is a scope of names. The names of functions and modules stand in the order in which they were first bound, so that a name of
// a scope is a number to whoever remembers what it was; those of a class are its attributes.
type Env struct {
	vars   []variable
	index  map[string]int // positions in vars, once there are more than fewNames
	attrs  map[string]Value
	parent *Env
	class  bool // the body of a class: functions defined in it do not see its names

	tracking int // how many alternatives were being tried when the scope was made
}

// variable is a name of a scope. Its value is nil where only an alternative that was undone bound it.
type variable struct {
	name  string
	value Value
}

// fewNames is the number of names up to which looking at each is cheaper than a map.
const fewNames = 12

// newEnv makes the scope of a function or module with room for some names.
func (in *interp) newEnv(parent *Env, room int) *Env {
	e := in.made.envs.one()
	e.parent, e.tracking = parent, in.tracking
	if room > 0 {
		e.vars = in.made.names.some(room)[:0]
	}
	return e
}

// get returns the value of a name of this very scope, nil when it is not bound.
func (e *Env) get(name string) Value {
	if e.attrs != nil {
		return e.attrs[name]
	}
	if i := e.position(name); i >= 0 {
		return e.vars[i].value
	}
	return nil
}

// set binds a name for good.
func (e *Env) set(name string, v Value) {
	if e.attrs != nil {
		e.attrs[name] = v
		return
	}
	e.vars[e.slot(name)].value = v
}

// position is where a name stands, -1 when it was never bound.
func (e *Env) position(name string) int {
	if e.index != nil {
		if i, ok := e.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range e.vars {
		if e.vars[i].name == name {
			return i
		}
	}
	return -1
}

// slot is where a name stands; it is given a place when it has none.
func (e *Env) slot(name string) int {
	if i := e.position(name); i >= 0 {
		return i
	}
	n := len(e.vars)
	e.vars = append(e.vars, variable{name: name})
	switch {
	case e.index != nil:
		e.index[name] = n
	case n == fewNames:
		e.index = make(map[string]int, max(4*fewNames, cap(e.vars)))
		for i := range e.vars {
			e.index[e.vars[i].name] = i
		}
	}
	return n
}

// assignIn stores a variable of a scope and remembers the old value while branches are tracked.
func (in *interp) assignIn(e *Env, name string, v Value) {
	if e.attrs != nil {
		in.assign(e.attrs, name, v)
		return
	}
	i := e.slot(name)
	if in.tracking > 0 {
		in.journal = append(in.journal, write{env: e, slot: i, old: e.vars[i].value})
	}
	e.vars[i].value = v
}

// assignLocal stores a variable of the scope that is running. A scope that was made within the alternative that is being tried is
// gone when that is undone, so that its old values need not be remembered.
func (in *interp) assignLocal(e *Env, name string, v Value) {
	if in.tracking <= e.tracking {
		e.set(name, v)
		return
	}
	in.assignIn(e, name, v)
}

// assign stores an attribute and remembers the old value while branches are tracked.
func (in *interp) assign(attrs map[string]Value, key string, v Value) {
	if in.tracking > 0 {
		in.journal = append(in.journal, write{attrs: attrs, key: key, old: attrs[key]})
	}
	attrs[key] = v
}
