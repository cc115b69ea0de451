package flow

import "strings"

// trainStateName is the class of Flax that keeps parameters, optimizer and optimizer state together (Flax 0.12.8).
const trainStateName = "flax.training.train_state.TrainState"

// trainState makes that class as if it were one of the workspace, so that its fields are known and classes derived from it
// are what they are for JAX: pytrees of the fields.
func (in *interp) trainState() *Class {
	if in.state != nil {
		return in.state
	}
	k := &Class{Name: "TrainState", Dataclass: true, Frozen: true, Bases: []Value{&Ext{Name: "flax.struct.PyTreeNode"}}, Attrs: map[string]Value{pytreeMark: Bool(true)}}
	for _, name := range []string{"step", "apply_fn", "params", "tx", "opt_state"} {
		k.Fields = append(k.Fields, &Param{Name: name})
	}
	for _, name := range []string{"create", "apply_gradients"} {
		k.Attrs[name] = &Ext{Name: trainStateName + "." + name}
	}
	in.state = k
	return k
}

// ofTrainState reports whether a library name is a method of the class.
func ofTrainState(e *Ext) bool { return strings.HasPrefix(e.Name, trainStateName+".") }

// trainStateCall evaluates the methods of a TrainState; the receiver is the first argument.
func (in *interp) trainStateCall(method string, c *Call) Value {
	switch self := c.value(0).(type) {
	case *Class:
		if method == "create" {
			return in.createState(self, c)
		}
	case *Instance:
		if method == "apply_gradients" {
			return in.applyGradients(self, c)
		}
	}
	return Unknown{}
}

// createState is create(apply_fn=, params=, tx=, ...): the optimizer state is that of the parameters.
func (in *interp) createState(k *Class, c *Call) Value {
	call := *c
	call.Pos, call.Kw = c.Pos[1:], append([]Arg(nil), c.Kw...)
	params, tx := orUnknown(c.value(-1, "params")), orUnknown(c.value(-1, "tx"))
	start := in.call(in.getAttr(tx, "init", c.At), &Call{At: c.At, Fn: c.Fn, Pos: []Arg{{Value: params, At: c.At}}, in: in})
	call.Kw = append(call.Kw, Arg{Name: "step", Value: Int(0)}, Arg{Name: "opt_state", Value: start})
	made := in.instantiate(k, &call)
	if state, ok := made.(*Instance); ok && !c.Splat {
		state.Open = false // create takes nothing but fields
	}
	return made
}

// applyGradients is apply_gradients(grads=, ...): one step of the optimizer, and the state with what it changed.
func (in *interp) applyGradients(state *Instance, c *Call) Value {
	grads := orUnknown(c.value(-1, "grads"))
	params := orUnknown(state.Attrs["params"])
	update := in.getAttr(orUnknown(state.Attrs["tx"]), "update", c.At)
	pair := in.call(update, &Call{At: c.At, Fn: c.Fn, Pos: []Arg{{Value: grads}, {Value: orUnknown(state.Attrs["opt_state"])}, {Value: params}}, in: in})
	updates, start := pairOf(pair)
	out := &Instance{Class: state.Class, Attrs: map[string]Value{}, At: c.At, Open: state.Open || c.Splat}
	for k, v := range state.Attrs {
		out.Attrs[k] = v
	}
	out.Attrs["params"], out.Attrs["opt_state"] = in.applyUpdates(params, updates, c), start
	step := orUnknown(state.Attrs["step"])
	out.Attrs["step"] = Unknown{}
	if a, ok := asArray(step); ok {
		next := a.derived()
		out.Attrs["step"] = next
	}
	for _, a := range c.Kw {
		if a.Name != "grads" {
			out.Attrs[a.Name] = a.Value
		}
	}
	return out
}
