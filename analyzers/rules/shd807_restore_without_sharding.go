package rules

import (
	"fmt"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/pyparse"
)

func shd807() *analyzers.Analyzer {
	return &analyzers.Analyzer{
		Code: "SHD807", Name: "restore-without-sharding", Severity: analyzers.Warning, Evidence: analyzers.FromSource, Since: "0.1.0",
		Summary: "a checkpoint is restored without saying where its arrays go",
		Doc: analyzers.Documentation{
			Finds: "In a program with a mesh: restore of an Orbax checkpointer or checkpoint manager without a target, or with a target of shapes that carry no sharding. " +
				"A placed state as the target is fine, and so are restore_args.",
			Matters: "Without a target the arrays get the shardings stored in the checkpoint, which name the mesh of the run that saved it and fail on another number of devices. " +
				"With shapes that have no sharding everything lands on one device.",
			Example: `import jax
import numpy as np
import orbax.checkpoint as ocp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

rows = NamedSharding(Mesh(np.array(jax.devices()), ("fsdp",)), P("fsdp"))
restored = ocp.StandardCheckpointer().restore("/tmp/checkpoint")
`,
			Instead: `import jax
import numpy as np
import orbax.checkpoint as ocp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

rows = NamedSharding(Mesh(np.array(jax.devices()), ("fsdp",)), P("fsdp"))
target = {"w": jax.ShapeDtypeStruct((16, 4), np.float32, sharding=rows)}
restored = ocp.StandardCheckpointer().restore("/tmp/checkpoint", target)
`,
			FixSafety: "The fix restores with the shapes and shardings of a placed state that the program saved under that path or holds under that name; the shapes of a target get a sharding that the program uses and that divides them all. It is unsafe: another layout may be meant.",
			Ignore:    "In tools that inspect checkpoints on one machine.",
		},
		Requires: [][]string{{"orbax"}, {"restore"}, meshNeedles()},
		Check:    checkRestore,
	}
}

func checkRestore(p *analyzers.Pass) {
	facts, out := p.Facts(), newOnce(p)
	if !hasMesh(facts) {
		return
	}
	for _, e := range facts.Events {
		if lastName(e.Name) != "restore" || !strings.HasPrefix(e.Name, "orbax.checkpoint.") || e.Splat || placedAfter(facts, e) {
			continue
		}
		target, known := restoreTarget(e)
		switch {
		case !known:
		case !given(target):
			out.report(e.At, analyzers.Finding{
				Message: "restore without a target uses the shardings stored in the checkpoint, those of the run that saved it; pass a tree of jax.ShapeDtypeStruct with sharding=",
				Fixes:   restoreAsPlaced(facts, e),
			})
		case unsharded(facts, target):
			out.report(e.At, analyzers.Finding{
				Message: "the target of restore has shapes without a sharding, so every array lands on one device; give its jax.ShapeDtypeStruct sharding=",
				Fixes:   shardedTarget(facts, target),
			})
		}
	}
}

// restoreAsPlaced passes the shapes and shardings of a placed state that the program saves under the same path, or holds in the name
// that the restored one goes to.
func restoreAsPlaced(facts *flow.Facts, e *flow.Event) []analyzers.Fix {
	treeMap, shape := spelling(e.At.File.Syntax, "jax.tree.map"), spelling(e.At.File.Syntax, "jax.ShapeDtypeStruct")
	path, state := argumentAt(e, 0, "directory"), restoredState(facts, e)
	if treeMap == "" || shape == "" || !path.Valid() || state == "" || len(e.Pos) != 1 {
		return nil
	}
	text := fmt.Sprintf("%s(lambda x: %s(x.shape, x.dtype, sharding=x.sharding), %s)", treeMap, shape, state)
	return fixOf("Restore with the shardings of "+state, analyzers.Unsafe, appended(path, ", "+text))
}

// restoredState is the source of a tree of placed arrays that a checkpoint at the path of a restore holds.
func restoredState(facts *flow.Facts, e *flow.Event) string {
	path, target := argumentAt(e, 0, "directory").Text(), targetOf(e.At).Text()
	for _, other := range facts.Events {
		save := lastName(other.Name) == "save" && strings.HasPrefix(other.Name, "orbax.checkpoint.") && argumentAt(other, 0, "directory").Text() == path
		if other.Order >= e.Order {
			break
		}
		for i, a := range other.Pos {
			if !isKind(a.At, pyparse.KindIdentifier, pyparse.KindAttribute) || !spreadTree(a.Value, anyAxis[:]...) || !(save && i == 1 || a.At.Text() == target) {
				continue
			}
			if a.At.Text() == target && a.At.File == e.At.File && a.At.File.Syntax.EnclosingFunction(a.At.Node) == e.At.File.Syntax.EnclosingFunction(e.At.Node) || movable(a.At, e.At) {
				return a.At.Text()
			}
		}
	}
	return ""
}

// shardedTarget gives the ShapeDtypeStructs of a target a sharding that the program uses and that divides them all.
func shardedTarget(facts *flow.Facts, target flow.Value) []analyzers.Fix {
	var arrays []*flow.Array
	var call flow.Ref
	leaves, complete := flow.Leaves(target)
	for _, l := range leaves {
		a, ok := l.(*flow.Array)
		if !ok || a.Made == nil || a.Made.Name != "jax.ShapeDtypeStruct" || call.Valid() && call != a.Made.At {
			return nil
		}
		call = a.Made.At
		arrays = append(arrays, a)
	}
	if !complete || !isKind(call, pyparse.KindCall) {
		return nil
	}
	return alternatives("Restore as", spreadTexts(facts, arrays, call), func(text string) []analyzers.Edit {
		edits, _ := withArgument(call, "sharding="+text)
		return edits
	})
}

// hasMesh reports whether the program makes a mesh.
func hasMesh(facts *flow.Facts) bool {
	for _, m := range facts.Meshes {
		if m.Maker != "" && !m.Empty {
			return true
		}
	}
	return false
}

// placedAfter reports whether what was restored is placed afterwards.
func placedAfter(facts *flow.Facts, restored *flow.Event) bool {
	for _, e := range facts.Named("jax.device_put", "equinox.filter_shard", "jax.lax.with_sharding_constraint") {
		if v := e.Value(0, "x"); v != nil && v == restored.Result {
			return true
		}
	}
	return false
}

// restoreTarget is the tree that describes what to restore (orbax 0.12.8), nil when there is none; known is false when the call is
// of another kind.
func restoreTarget(e *flow.Event) (target flow.Value, known bool) {
	class := lastName(strings.TrimSuffix(e.Name, ".restore"))
	if given(e.Value(-1, "restore_args", "restore_kwargs")) {
		return nil, false
	}
	args := e.Value(-1, "args")
	switch class {
	case "StandardCheckpointer", "PyTreeCheckpointer":
		if args == nil {
			if target = e.Value(1, "target", "item"); target == nil {
				return nil, e.Arg(0, "directory") != nil && len(e.Pos)+len(e.Kw) == 1
			}
		}
	case "Checkpointer", "AsyncCheckpointer", "CheckpointManager":
		if args == nil {
			return nil, false // what is restored depends on the handlers
		}
	default:
		return nil, false
	}
	if args != nil {
		target = args
	}
	o, ok := target.(*flow.Object)
	if !ok || !strings.HasPrefix(o.Class, "orbax.checkpoint.args.") {
		return target, args == nil
	}
	if lastName(o.Class) == "Composite" && o.Made != nil && !o.Made.Splat {
		return firstOfComposite(o.Made)
	}
	return argumentTarget(o)
}

// firstOfComposite is the target of the first item of args.Composite that holds arrays and says too little of where they go.
func firstOfComposite(made *flow.Event) (target flow.Value, known bool) {
	for _, a := range made.Kw {
		item, ok := a.Value.(*flow.Object)
		if !ok {
			continue
		}
		t, ok := argumentTarget(item)
		if leaves, _ := flow.Leaves(t); ok && (!given(t) || len(leaves) > 0 && !spreadTree(t, anyAxis[:]...)) {
			return t, true
		}
	}
	return nil, false
}

// argumentTarget is the tree in the arguments of a handler of trees.
func argumentTarget(o *flow.Object) (target flow.Value, known bool) {
	if o.Made == nil || o.Made.Splat || given(o.Made.Value(1, "restore_args")) {
		return nil, false
	}
	switch lastName(o.Class) {
	case "StandardRestore", "PyTreeRestore":
		return o.Made.Value(0, "item"), true
	}
	return nil, false
}

// unsharded reports whether a tree consists of shapes that are known to carry no sharding.
func unsharded(facts *flow.Facts, target flow.Value) bool {
	leaves, _ := flow.Leaves(target)
	shapes := 0
	for _, l := range leaves {
		a, ok := l.(*flow.Array)
		if !ok || !a.Static || a.Sharding != nil || a.Made == nil {
			return false
		}
		switch a.Made.Name {
		case "jax.ShapeDtypeStruct":
			if given(a.Made.Value(-1, "sharding")) || a.Made.Splat {
				return false
			}
		case "jax.eval_shape":
			if _, plain := a.Made.Value(0).(*flow.Transformed); plain || !a.Made.Context.NewKnown || a.Made.Context.New != nil || constrainedInside(facts, a.Made) {
				return false
			}
		default:
			return false
		}
		shapes++
	}
	return shapes > 0
}
