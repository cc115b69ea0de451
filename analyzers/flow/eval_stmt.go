package flow

import (
	"github.com/shardls/shardls/pyparse"
)

// block executes the statements of a block or module until one of them ends it.
func (in *interp) block(n pyparse.NodeID) {
	s := in.frame.file.Syntax
	if n == pyparse.None {
		return
	}
	if !s.Is(n, pyparse.KindBlock, pyparse.KindModule) {
		in.statement(n)
		return
	}
	outer, guarded := in.region, in.guarded
	for c := range s.Children(n) {
		if in.frame.flow != running || in.steps <= 0 {
			break
		}
		in.statement(c)
		if r := in.remainder; r != nil { // only some processes come this far
			r.Parent = in.region
			in.region, in.remainder = r, nil
		}
	}
	in.region, in.guarded = outer, guarded
}

// statement executes one statement.
func (in *interp) statement(n pyparse.NodeID) {
	if !in.step() {
		return
	}
	s := in.frame.file.Syntax
	switch s.KindOf(n) {
	case pyparse.KindExpressionStatement:
		in.expressionStatement(n)
	case pyparse.KindAssignment, pyparse.KindAugmentedAssignment:
		in.assignment(n)
	case pyparse.KindReturnStatement:
		v := Value(None{})
		if c := s.FirstChild(n); c != pyparse.None {
			v = in.eval(c)
		}
		in.frame.returns = append(in.frame.returns, v)
		in.frame.flow = returned
	case pyparse.KindIfStatement:
		in.ifStatement(n)
	case pyparse.KindForStatement:
		in.forStatement(n)
	case pyparse.KindWhileStatement:
		in.whileStatement(n)
	case pyparse.KindWithStatement:
		in.withStatement(n)
	case pyparse.KindTryStatement:
		in.tryStatement(n)
	case pyparse.KindFunctionDefinition, pyparse.KindClassDefinition, pyparse.KindDecoratedDefinition:
		in.definition(n)
	case pyparse.KindImportStatement, pyparse.KindImportFromStatement:
		in.importStatement(n)
	case pyparse.KindRaiseStatement:
		for c := range s.Children(n) {
			in.eval(c)
		}
		in.frame.flow = raised
	case pyparse.KindBreakStatement:
		in.frame.flow = broke
	case pyparse.KindContinueStatement:
		in.frame.flow = continued
	case pyparse.KindAssertStatement:
		in.assertStatement(n)
	case pyparse.KindGlobalStatement, pyparse.KindNonlocalStatement:
		in.globalStatement(n)
	case pyparse.KindDeleteStatement:
		in.deleteStatement(n)
	case pyparse.KindMatchStatement:
		in.matchStatement(n)
	}
}

// assertStatement evaluates an assertion: behind one that asks for one process there is one.
func (in *interp) assertStatement(n pyparse.NodeID) {
	s := in.frame.file.Syntax
	for c := range s.Children(n) {
		if v := in.eval(c); c == s.FirstChild(n) && alone(v, true) {
			in.remainder = &Region{Kind: SingleRegion, At: in.ref(n)}
		}
	}
}

func (in *interp) expressionStatement(n pyparse.NodeID) {
	s := in.frame.file.Syntax
	for c := range s.Children(n) {
		switch {
		case s.Is(c, pyparse.KindAssignment, pyparse.KindAugmentedAssignment):
			in.assignment(c)
		case s.Is(c, pyparse.KindCall):
			in.callNode(c, true)
			if skipsTest(in.frame.file, c) {
				in.frame.flow = raised
			}
		case s.Is(c, pyparse.KindString) && int(s.Nodes[c].Next) == int(c)+1:
			in.step() // a docstring: nothing is interpolated in it
		default:
			in.eval(c)
		}
	}
}

func (in *interp) assignment(n pyparse.NodeID) {
	s := in.frame.file.Syntax
	a, ok := s.Assignment(n)
	if !ok {
		return
	}
	if a.Operator != "" {
		in.augmented(a)
		return
	}
	if a.Value == pyparse.None {
		return // a bare annotation
	}
	v := in.eval(a.Value)
	for _, t := range a.Targets {
		in.bindTarget(t, v)
	}
}

func (in *interp) augmented(a pyparse.Assignment) {
	target := a.Targets[0]
	old, v := in.eval(target), in.eval(a.Value)
	if l, ok := old.(*List); ok && a.Operator == "+=" {
		in.extendList(l, v)
		return
	}
	op := a.Operator[:len(a.Operator)-1]
	in.bindTarget(target, in.binary(op, old, v, a.Node))
}

// bindName binds a local or declared global name.
func (in *interp) bindName(name string, v Value) {
	if in.frame.global[name] {
		in.assignIn(in.frame.globals, name, v)
		return
	}
	env := in.frame.env
	if in.frame.global == nil || !in.frame.global["nonlocal "+name] {
		in.assignLocal(env, name, v)
		return
	}
	for e := env.parent; e != nil; e = e.parent {
		if e.get(name) != nil {
			in.assignIn(e, name, v)
			return
		}
	}
}

// bindTarget assigns to a name, attribute, subscript or pattern of them.
func (in *interp) bindTarget(t pyparse.NodeID, v Value) {
	s := in.frame.file.Syntax
	switch s.KindOf(t) {
	case pyparse.KindIdentifier:
		name := in.frame.file.text(t)
		in.bindName(name, labelled(v, name))
	case pyparse.KindAttribute:
		in.setAttr(in.eval(s.Child(t, pyparse.FieldObject)), in.frame.file.text(s.Child(t, pyparse.FieldAttribute)), labelled(v, s.Text(t)))
	case pyparse.KindSubscript:
		in.setItem(in.eval(s.Child(t, pyparse.FieldValue)), in.subscriptKey(t), v, in.ref(t))
	case pyparse.KindParenthesizedExpression, pyparse.KindAsPatternTarget:
		in.bindTarget(s.FirstChild(t), v)
	case pyparse.KindPatternList, pyparse.KindTuplePattern, pyparse.KindListPattern, pyparse.KindTuple, pyparse.KindList, pyparse.KindExpressionList:
		in.unpack(s.ChildList(t), v)
	}
}

// labelled gives meshes and arrays the name they are first assigned to.
func labelled(v Value, name string) Value {
	switch x := v.(type) {
	case *Mesh:
		if x.Name == "" {
			x.Name = name
		}
	case *Array:
		if x.Label != name {
			c := x.clone()
			c.Label = name
			return c
		}
	}
	return v
}

func (in *interp) unpack(targets []pyparse.NodeID, v Value) {
	s := in.frame.file.Syntax
	elems, complete, ok := in.iterate(v)
	star := -1
	for i, t := range targets {
		if s.Is(t, pyparse.KindListSplatPattern, pyparse.KindListSplat) {
			star = i
		}
	}
	if !ok || !complete || (star < 0 && len(elems) != len(targets)) || (star >= 0 && len(elems) < len(targets)-1) {
		in.unpackUnknown(targets, v)
		return
	}
	if star < 0 {
		for i, t := range targets {
			in.bindTarget(t, elems[i])
		}
		return
	}
	after := len(targets) - star - 1
	for i := 0; i < star; i++ {
		in.bindTarget(targets[i], elems[i])
	}
	in.bindTarget(s.FirstChild(targets[star]), &List{Elems: append([]Value(nil), elems[star:len(elems)-after]...)})
	for i := 0; i < after; i++ {
		in.bindTarget(targets[star+1+i], elems[len(elems)-after+i])
	}
}

// unpackUnknown binds targets whose values are not listed one by one.
func (in *interp) unpackUnknown(targets []pyparse.NodeID, v Value) {
	s := in.frame.file.Syntax
	e := elementOf(v)
	d, isDevices := v.(*Devices)
	star := len(targets)
	for i, t := range targets {
		starred := s.Is(t, pyparse.KindListSplatPattern, pyparse.KindListSplat)
		if starred {
			star = i
			t = s.FirstChild(t)
		}
		index := int64(i)
		if i > star {
			index -= int64(len(targets))
		}
		switch {
		case isDevices && starred:
			rest := &Slice{Lo: Int(index)}
			if behind := i - len(targets) + 1; behind < 0 {
				rest.Hi = Int(behind)
			}
			in.bindTarget(t, devicesItem(d, rest, in.ref(t)))
		case isDevices:
			in.bindTarget(t, devicesItem(d, Int(index), in.ref(t)))
		case starred:
			in.bindTarget(t, &List{Open: true})
		default:
			in.bindTarget(t, e)
		}
	}
}

// guards reports whether a condition tests for a name, a module or a release, so that code behind it is not for every release.
func (in *interp) guards(cond pyparse.NodeID) bool {
	s := in.frame.file.Syntax
	for n := range s.Descendants(cond) {
		switch s.KindOf(n) {
		case pyparse.KindIdentifier:
			switch in.frame.file.text(n) {
			case "hasattr", "dir", "vars", "__dict__", "find_spec", "__version__", "__version_info__", "version", "signature", "TYPE_CHECKING":
				return true
			}
		case pyparse.KindAttribute:
			switch v, _ := s.DottedName(n); v {
			case "jax.__version__", "jax.__version_info__", "jax.config.values", "config.values", "sys.modules":
				return true
			}
		}
	}
	return false
}

func (in *interp) ifStatement(n pyparse.NodeID) {
	s := in.frame.file.Syntax
	type arm struct{ cond, body pyparse.NodeID }
	arms := []arm{{s.Child(n, pyparse.FieldCondition), s.Child(n, pyparse.FieldConsequence)}}
	var final pyparse.NodeID = pyparse.None
	for c := range s.ChildrenIn(n, pyparse.FieldAlternative) {
		if s.Is(c, pyparse.KindElifClause) {
			arms = append(arms, arm{s.Child(c, pyparse.FieldCondition), s.Child(c, pyparse.FieldConsequence)})
		} else {
			final = s.Body(c)
		}
	}
	guards := 0
	defer func() { in.guarded -= guards }()
	var run func(i int)
	run = func(i int) {
		if i == len(arms) {
			in.block(final)
			return
		}
		cond := in.eval(arms[i].cond)
		if in.guards(arms[i].cond) {
			in.guarded++
			guards++
		}
		t, known := Truth(cond)
		switch {
		case known && t:
			in.block(arms[i].body)
		case known:
			run(i + 1)
		default:
			in.branches(func() {
				in.narrow(arms[i].cond, true)
				in.condition(n, cond, true, func() { in.block(arms[i].body) })
			}, func() {
				in.narrow(arms[i].cond, false)
				in.condition(n, cond, false, func() { run(i + 1) })
			})
			in.leavesEarly(n, cond, arms[i].body)
			if guards > 0 && leaves(s, arms[i].body) {
				in.guarded++ // until the end of the block: what follows is not for every release either
			}
		}
	}
	run(0)
}

// leavesEarly notes that what follows a branch is reached by some processes only, because the others left in it, or in programs of one
// process only.
func (in *interp) leavesEarly(n pyparse.NodeID, cond Value, body pyparse.NodeID) {
	o, single := processTestOf(cond), alone(cond, false)
	switch {
	case o == nil && !single || !leaves(in.frame.file.Syntax, body):
	case single:
		in.remainder = &Region{Kind: SingleRegion, At: in.ref(n)}
	default:
		in.remainder = &Region{Kind: DivergentRegion, Call: o.Made, At: in.ref(n)}
	}
}

// leaves reports whether the last statement of a block ends the function or the iteration.
func leaves(s *pyparse.File, body pyparse.NodeID) bool {
	return s.Is(lastStatement(s, body), pyparse.KindReturnStatement, pyparse.KindRaiseStatement, pyparse.KindContinueStatement, pyparse.KindBreakStatement)
}

func lastStatement(s *pyparse.File, body pyparse.NodeID) pyparse.NodeID {
	last := pyparse.None
	for c := range s.Children(body) {
		last = c
	}
	return last
}

// condition runs a branch of the statement n whose condition is unknown: the one that is taken where it holds, or the other one.
func (in *interp) condition(n pyparse.NodeID, cond Value, taken bool, body func()) {
	saved := in.region
	if alone(cond, taken) {
		in.region = &Region{Parent: in.region, Kind: SingleRegion, At: in.ref(n)}
	} else if o := processTestOf(cond); o != nil {
		in.region = &Region{Parent: in.region, Kind: DivergentRegion, Call: o.Made, At: in.ref(n)}
	}
	body()
	in.region = saved
}

// narrow uses what a branch tells of a name: in the branch of `x is None` x is None.
func (in *interp) narrow(cond pyparse.NodeID, taken bool) {
	s := in.frame.file.Syntax
	cond = s.Unwrap(cond)
	if s.Is(cond, pyparse.KindNotOperator) {
		in.narrow(s.Child(cond, pyparse.FieldArgument), !taken)
		return
	}
	if !s.Is(cond, pyparse.KindComparisonOperator) {
		return
	}
	parts := s.ChildList(cond)
	op := s.Text(s.Child(cond, pyparse.FieldOperators))
	if len(parts) != 2 || !s.Is(parts[0], pyparse.KindIdentifier) {
		return
	}
	name := in.frame.file.text(parts[0])
	switch {
	case s.Is(parts[1], pyparse.KindNone) && (op == "is" && taken || op == "is not" && !taken):
		in.bindName(name, None{})
	case s.Is(parts[1], pyparse.KindString) && (op == "==" && taken || op == "!=" && !taken):
		in.bindName(name, in.eval(parts[1]))
	}
}

// loop runs a body whose number of iterations is unknown: once from the state before it, and once more from the join, so that
// what one iteration hands to the next is seen.
func (in *interp) loop(n pyparse.NodeID, once func()) {
	saved := in.region
	in.region = in.made.regions.one()
	*in.region = Region{Parent: saved, Kind: PyLoop, At: in.ref(n)}
	passes := 2
	if in.loops > 0 {
		passes = 1 // the loop around it runs twice already
	}
	in.loops++
	defer func() { in.loops-- }()
	for pass := 0; pass < passes; pass++ {
		in.branches(func() {
			once()
			if in.frame.flow == broke || in.frame.flow == continued {
				in.frame.flow = running
			}
		}, func() {})
		if in.frame.flow == broke || in.frame.flow == continued {
			in.frame.flow = running
		}
	}
	in.region = saved
}

func (in *interp) forStatement(n pyparse.NodeID) {
	s := in.frame.file.Syntax
	target, body := s.Child(n, pyparse.FieldLeft), s.Body(n)
	source, elems, complete, ok := in.iterated(s.Child(n, pyparse.FieldRight))
	if ok && complete && len(elems) <= maxUnroll {
		in.unrolled(n, target, body, elems)
	} else {
		in.loop(n, func() {
			in.bindTarget(target, elementOf(source))
			in.block(body)
		})
	}
	in.elseOf(n)
}

// unrolled runs a loop over known elements one by one.
func (in *interp) unrolled(n, target, body pyparse.NodeID, elems []Value) {
	saved := in.region
	in.region = in.made.regions.one()
	*in.region = Region{Parent: saved, Kind: PyLoop, At: in.ref(n), Iterations: len(elems)}
	for _, e := range elems {
		in.bindTarget(target, e)
		in.block(body)
		if in.frame.flow == continued {
			in.frame.flow = running
		}
		if in.frame.flow != running {
			break
		}
	}
	if in.frame.flow == broke {
		in.frame.flow = running
	}
	in.region = saved
}

func (in *interp) elseOf(n pyparse.NodeID) {
	s := in.frame.file.Syntax
	for c := range s.ChildrenIn(n, pyparse.FieldAlternative) {
		if in.frame.flow == running {
			in.block(s.Body(c))
		}
	}
}

func (in *interp) whileStatement(n pyparse.NodeID) {
	s := in.frame.file.Syntax
	cond := s.Child(n, pyparse.FieldCondition)
	if t, known := Truth(in.eval(cond)); known && !t {
		in.elseOf(n)
		return
	}
	in.loop(n, func() {
		in.eval(cond)
		in.block(s.Body(n))
	})
}

func (in *interp) withStatement(n pyparse.NodeID) {
	s := in.frame.file.Syntax
	ctx, region, guarded, handled := in.ctx, in.region, in.guarded, in.handled
	body := in.block
	for _, item := range s.WithItems(n) {
		if expectsError(in.frame.file, item.Value) {
			body = in.failing
		}
		v := in.eval(item.Value)
		e := in.event("with", &Call{At: in.ref(item.Value), Fn: in.ref(n), Callee: v})
		entered := in.enter(v, e)
		e.Result = entered
		if suppressesMissing(e) {
			in.guarded++
		}
		in.handled = append(in.handled[:len(in.handled):len(in.handled)], suppressed(e)...)
		if item.Target != pyparse.None {
			in.bindTarget(item.Target, entered)
		}
	}
	body(s.Body(n))
	in.ctx, in.region, in.guarded, in.handled = ctx, region, guarded, handled
}

func (in *interp) globalStatement(n pyparse.NodeID) {
	s := in.frame.file.Syntax
	if in.frame.global == nil {
		in.frame.global = map[string]bool{}
	}
	prefix := ""
	if s.Is(n, pyparse.KindNonlocalStatement) {
		prefix = "nonlocal "
	}
	for c := range s.Children(n) {
		in.frame.global[prefix+in.frame.file.text(c)] = true
	}
}

func (in *interp) deleteStatement(n pyparse.NodeID) {
	s := in.frame.file.Syntax
	for c := range s.Descendants(n) {
		if s.Is(c, pyparse.KindSubscript) {
			if d, ok := in.eval(s.Child(c, pyparse.FieldValue)).(*Dict); ok {
				in.touchDict(d)
				d.Open = true
				d.Keys, d.Vals = nil, nil
			}
		}
	}
}
