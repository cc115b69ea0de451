package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/evidence"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/pyparse"
)

// meansOfShards rewrites grad(loss)(params, x, y) under automatic partitioning to a vmap over the shards of the batch and a
// float32 mean of the gradients. The model stays as it is. It is offered where the module and the source show that this is the
// same gradient: the loss is a mean, every other argument is a batch that is sharded over the axes of the sum or a scalar,
// and the parameters are on all devices.
func meansOfShards(m *link.Module, l *lowSum, release flow.Release) []analyzers.Fix {
	axes := l.axes()
	u, ok := gradCallOf(m, l)
	if len(axes) == 0 || !ok || explicitAxes(m, l, release) || l.byHand(m.Deciding) || !isMeanLoss(&u) {
		return nil
	}
	mesh, jax, jnp := moduleMesh(u.file), spelling(u.file, "jax"), spelling(u.file, "jax.numpy")
	constraint, named, partition := spelling(u.file, "jax.lax.with_sharding_constraint"), spelling(u.file, "jax.sharding.NamedSharding"), spelling(u.file, "jax.sharding.PartitionSpec")
	if mesh == "" || jax == "" || jnp == "" || constraint == "" || named == "" || partition == "" {
		return nil
	}
	args := u.file.Arguments(u.call)
	s := shards{m: m, u: &u, size: l.sums[0].reduction.GroupSize, split: "split_over_" + strings.Join(axes, "_")}
	texts, inAxes := make([]string, 0, len(args)), make([]string, 0, len(args))
	for k, a := range args {
		text, over, ok := u.file.Text(a.Value), "None", false
		if slices.Contains(u.argnums, k) {
			ok = s.replicated(a.Value)
		} else {
			text, over, ok = s.argument(a, jax)
		}
		if !ok {
			return nil
		}
		texts, inAxes = append(texts, text), append(inAxes, over)
	}
	if !strings.Contains(strings.Join(inAxes, ""), "0") {
		return nil
	}
	sizes := make([]string, len(axes))
	for k, a := range axes {
		sizes[k] = fmt.Sprintf("%s.shape[%q]", mesh, a)
	}
	r := &rewriting{file: u.file, path: u.path}
	name := r.define(s.split, func(name string) string {
		return fmt.Sprintf("def %s(a):\n    # One leading entry per shard of the batch.\n    shards = a.reshape(%s, -1, *a.shape[1:])\n    return %s(shards, %s(%s, %s(%s)))\n",
			name, strings.Join(sizes, " * "), constraint, named, mesh, partition, axisText(axes))
	})
	callee := u.file.Text(u.file.Callee(u.call))
	start, end := u.file.Span(u.call)
	edits := []analyzers.Edit{{
		Span: analyzers.Span{Path: u.path, Start: start, End: end},
		NewText: fmt.Sprintf("%[1]s.tree.map(lambda g: %[2]s.mean(g, 0, dtype=%[2]s.float32).astype(g.dtype), %[1]s.vmap(%[3]s, in_axes=(%[4]s))(%[5]s))",
			jax, jnp, callee, strings.Join(inAxes, ", "), strings.ReplaceAll(strings.Join(texts, ", "), s.split+"(", name+"(")),
	}}
	for _, d := range r.definitions {
		edits = append(edits, defined(u.file, u.path, d))
	}
	return []analyzers.Fix{{
		Title:  "Take one gradient per shard of the batch and average them in float32 (vmap), for all parameters; nothing else in the loss may mix rows of the batch",
		Safety: analyzers.Unsafe, Edits: edits,
	}}
}

// byHand reports whether the program wrote one of the sums itself.
func (l *lowSum) byHand(d *link.Dump) bool {
	return slices.ContainsFunc(l.sums, func(s summed) bool {
		c := d.CollectiveNamed(s.reduction.Collective)
		return c != nil && (c.Origin == "user" || writtenByUser(evidence.Primitive(c.OpName)))
	})
}

// shards asks the module how the arguments of a gradient's call are laid out.
type shards struct {
	m     *link.Module
	u     *gradCall
	size  int // devices that the batch is sharded over
	split string
}

// leaves lists the entry parameters that an argument of the differentiated call stands for. The call must stand in the jitted
// function itself and the argument be one of its parameters, or a part of one.
func (s *shards) leaves(n pyparse.NodeID) []hlomap.InstrID {
	file := s.u.file
	function := file.EnclosingFunction(s.u.call)
	if name, _ := file.Name(function); function == pyparse.None || name != s.m.Function() {
		return nil
	}
	root := n
	for file.Is(root, pyparse.KindAttribute, pyparse.KindSubscript) {
		root = file.FirstChild(root)
	}
	symbol := file.Resolve(root)
	if symbol == nil || len(symbol.Bindings) != 1 || symbol.Bindings[0].Kind != pyparse.BindParameter || file.EnclosingFunction(symbol.Bindings[0].Node) != function {
		return nil
	}
	path := strings.ReplaceAll(file.Text(n), `"`, "'")
	g := evidence.Graph{M: s.m.Deciding.Module}
	var list []hlomap.InstrID
	first, end := g.M.CompRange(g.M.Entry())
	for i := first; i < end; i++ {
		name := entryParameter(g, i)
		if rest, ok := strings.CutPrefix(name, path); ok && name != "" && (rest == "" || rest[0] == '[' || rest[0] == '.') {
			list = append(list, i)
		}
	}
	return list
}

// replicated reports whether all devices hold every leaf of an argument whole.
func (s *shards) replicated(n pyparse.NodeID) bool {
	leaves := s.leaves(n)
	for _, i := range leaves {
		if t, ok := s.tiles(i); !ok || t != 0 {
			return false
		}
	}
	return len(leaves) > 0
}

// tiles returns into how many parts the first dimension of a parameter is cut where no other is, 0 for replicated ones.
func (s *shards) tiles(i hlomap.InstrID) (int, bool) {
	text, ok := s.m.Deciding.Module.InstrAttr(i, "sharding")
	sharding, parsed := link.ParseSharding(text)
	if !ok || !parsed {
		return 0, false
	}
	if sharding.Replicated() {
		return 0, true
	}
	for d, t := range sharding.Tiles() {
		if d > 0 && d < len(s.m.Deciding.Module.Shape(i).Dims) && t > 1 {
			return 0, false
		}
	}
	return tiles(sharding, 0), true
}

// argument spells an argument for the mapped call and what to map it over.
func (s *shards) argument(a pyparse.Argument, jax string) (text, over string, ok bool) {
	if a.Kind != pyparse.Positional {
		return "", "", false
	}
	text = s.u.file.Text(a.Value)
	leaves := s.leaves(a.Value)
	if len(leaves) == 0 {
		return "", "", false
	}
	for _, i := range leaves {
		shape := s.m.Deciding.Module.Shape(i)
		t, known := s.tiles(i)
		switch {
		case known && t == s.size && (over == "" || over == "0"):
			over = "0"
		case known && t == 0 && len(shape.Dims) == 0 && (over == "" || over == "None"):
			over = "None"
		default:
			return "", "", false
		}
	}
	switch {
	case over == "None":
	case len(leaves) == 1 && s.u.file.Is(a.Value, pyparse.KindIdentifier) && entryParameter(evidence.Graph{M: s.m.Deciding.Module}, leaves[0]) == text:
		text = s.split + "(" + text + ")"
	default:
		text = jax + ".tree.map(" + s.split + ", " + text + ")"
	}
	return text, over, true
}

// isMeanLoss reports whether the function that a grad differentiates returns means over all elements: the loss, and beside it what
// else it returns.
func isMeanLoss(u *gradCall) bool {
	f := meanLoss{file: u.file, function: u.file.Unwrap(u.file.Arguments(u.maker)[0].Value)}
	if u.file.Is(f.function, pyparse.KindLambda) {
		return !f.captures() && f.returns(u.file.Body(f.function), u.aux)
	}
	f.function = definitionOf(u.file, f.function)
	if f.function == pyparse.None || f.captures() {
		return false
	}
	found := false
	for n := range u.file.Descendants(u.file.Body(f.function)) {
		if u.file.Is(n, pyparse.KindReturnStatement) && u.file.EnclosingFunction(n) == f.function {
			if !f.returns(u.file.FirstChild(n), u.aux) {
				return false
			}
			found = true
		}
	}
	return found
}

// meanLoss is a function that may return means. A gradient of equal shards, averaged, is the gradient of the whole batch where it
// returns what is linear in means.
type meanLoss struct {
	file     *pyparse.File
	function pyparse.NodeID
}

// captures reports whether the function reads a variable of a function around it, which may hold rows of the batch that would not be
// split with the others.
func (f *meanLoss) captures() bool {
	for n := range f.file.Descendants(f.function) {
		if !f.file.Is(n, pyparse.KindIdentifier) || isLabel(f.file, n) {
			continue
		}
		symbol := f.file.Resolve(n)
		if symbol == nil {
			continue
		}
		for _, b := range symbol.Bindings {
			outside := b.Kind != pyparse.BindFunction && !f.file.Contains(f.function, b.Node)
			if outside && f.file.EnclosingFunction(b.Node) != pyparse.None {
				return true
			}
		}
	}
	return false
}

// returns reports whether a returned expression is a mean, and with aux a pair of one and a tree of others.
func (f *meanLoss) returns(n pyparse.NodeID, aux bool) bool {
	if !aux {
		return f.mean(n, 0)
	}
	n = f.file.Unwrap(n)
	parts := f.file.ChildList(n)
	return f.file.Is(n, pyparse.KindTuple, pyparse.KindExpressionList) && len(parts) == 2 && f.mean(parts[0], 0) && f.tree(parts[1], 0)
}

// tree reports whether an expression is a mean, or a tuple, list or dictionary display of such trees.
func (f *meanLoss) tree(n pyparse.NodeID, depth int) bool {
	n = f.file.Unwrap(n)
	if n == pyparse.None || depth > maxCopyDepth {
		return false
	}
	switch f.file.KindOf(n) {
	case pyparse.KindTuple, pyparse.KindList:
		return !slices.ContainsFunc(f.file.ChildList(n), func(e pyparse.NodeID) bool { return !f.tree(e, depth+1) })
	case pyparse.KindDictionary:
		return !slices.ContainsFunc(f.file.ChildList(n), func(e pyparse.NodeID) bool {
			return !f.file.Is(e, pyparse.KindPair) || !f.tree(f.file.Child(e, pyparse.FieldValue), depth+1)
		})
	}
	return f.mean(n, depth)
}

// mean reports whether an expression is a mean over everything, apart from casts, factors that are the same for all rows, and sums
// with other means.
func (f *meanLoss) mean(n pyparse.NodeID, depth int) bool {
	file := f.file
	n = file.Unwrap(n)
	if n == pyparse.None || depth > maxCopyDepth {
		return false
	}
	if x := castArgument(file, n); x != pyparse.None {
		return f.mean(x, depth+1)
	}
	switch file.KindOf(n) {
	case pyparse.KindIdentifier:
		_, value := reachingAssignment(file, n)
		return f.mean(value, depth+1)
	case pyparse.KindBinaryOperator:
		left, right := file.Child(n, pyparse.FieldLeft), file.Child(n, pyparse.FieldRight)
		switch file.Operator(n) {
		case "*":
			return f.factor(right) && f.mean(left, depth+1) || f.factor(left) && f.mean(right, depth+1)
		case "/":
			return f.factor(right) && f.mean(left, depth+1)
		case "+", "-":
			return f.mean(left, depth+1) && f.mean(right, depth+1)
		}
	case pyparse.KindCall:
		name, args := file.Text(file.Callee(n)), file.Arguments(n)
		if !strings.HasSuffix(name, ".mean") {
			return false
		}
		module := name[:len(name)-len(".mean")]
		if module == spelling(file, "jax.numpy") {
			return len(args) == 1 && args[0].Kind == pyparse.Positional
		}
		return len(args) == 0
	}
	return false
}

// factor reports whether an expression is a number, or an argument of the function that nothing rebinds: beside a mean it has to be a scalar
// for the loss to be one, and scalars are the same for all shards.
func (f *meanLoss) factor(n pyparse.NodeID) bool {
	n = f.file.Unwrap(n)
	if _, constant := f.file.Float(n); constant {
		return true
	}
	for f.file.Is(n, pyparse.KindSubscript) {
		n = f.file.Child(n, pyparse.FieldValue)
	}
	symbol := f.file.Resolve(n)
	return symbol != nil && len(symbol.Bindings) == 1 && symbol.Bindings[0].Kind == pyparse.BindParameter && f.file.EnclosingFunction(symbol.Bindings[0].Node) == f.function
}
