// Package flow is an abstract interpreter for Python programs that use JAX.
//
// [Interpret] executes a file from its first line to its last with abstract values, follows calls into functions of the
// workspace, and afterwards calls every function that nothing called with unknown arguments. What it cannot know is
// [Unknown], and unknown is infectious: a rule that asks for a fact and gets none stays silent.
//
// # What a rule reads
//
// [Facts] holds what happened, in the order in which it happened:
//
//   - [Facts.Events]: every call of a library name, of an array's method and every operator on arrays, with argument values,
//     result, the stack of regions, the mesh context and the enclosing function. [Facts.Named] selects by name.
//   - [Facts.Meets]: every moment at which a PartitionSpec met a mesh.
//   - [Facts.Placements]: every array leaf that met a sharding (device_put, constraints, in_shardings, out_shardings, in_specs).
//   - [Facts.Manuals]: every shard_map, smap and pmap with its arguments; [ManualCall.Calls] are the evaluations of its body.
//   - [Facts.Carries]: the carries of scan, while_loop and fori_loop and the branches of cond.
//   - [Facts.Updates]: every parameter that was changed by a gradient.
//   - [Facts.Mentions]: every import and attribute that names something of JAX, with whether a guard surrounds it.
//   - [Facts.Meshes]: every mesh.
//   - [Context.Rules]: the logical axis rules of Flax that are active at a call, and [Array.Memory]: the memory kind of an array.
//
// Library names are canonical (data/aliases.json lists the others); [Ext.Path] and [Mention.Path] keep what was written.
//
// # Names of events
//
// "jax.lax.psum" and so on for library functions; "jax.Array.sum" for methods of arrays; "jax.Array.at.set"; "op.add",
// "op.matmul", "op.getitem", "op.compare" for operators; "with" for each context manager; "call.jit", "call.shard_map",
// "call.pmap", "call.vmap", "call.grad" and so on for calls of transformed functions, whose [Event.Callee] is the
// [Transformed]; "class.NAME" for instances of workspace classes; "optax.adam.update" for methods of library objects.
//
// # Contexts
//
// The same node is evaluated once for every calling context and gives one event each time. Each is a path that the program
// can take, so that one bad context is enough for a finding, unless a rule says that all contexts have to agree; a finding is
// reported once. Events of functions that nothing visible calls have a region stack that ends in an [OpenRegion].
//
// # Where it is careful
//
// Branches on unknown conditions are both executed from the same state and joined. Loops over unknown sequences run twice. Code that
// the target release cannot reach is not executed. Depth, steps, unrolled iterations and loaded files are bounded; beyond
// the bounds everything is unknown and [Facts.Truncated] is set.
package flow
