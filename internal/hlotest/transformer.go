package hlotest

import (
	"bytes"
	"fmt"
)

// Transformer writes a module as XLA prints it just after partitioning: one training step of an unrolled network of blocks
// on eight devices, a mesh of 4 × 2. Each layer has a projection and a feed-forward part, whose sums over the model axis
// are float32, and bfloat16 sums of gradients over the data axis. XLA's own parser accepts the text. A layer takes about
// 8.7 kB; reading must take time and memory in proportion to their number.
func Transformer(layers int) []byte {
	w := &transformer{layers: layers}
	w.header()
	for l := range layers {
		w.reducers(l)
	}
	w.entry()
	return w.out.Bytes()
}

const (
	tokens = 256
	width  = 64
	hidden = 128
)

// transformer writes the text; n numbers instructions and channels.
type transformer struct {
	out     bytes.Buffer
	layers  int
	n       int
	channel int
}

// weights are the parameters of a layer with their shapes.
var weights = [...]struct {
	name       string
	rows, cols int
}{{"w_in", width, hidden}, {"w_out", hidden, width}, {"w_proj", width, width}}

func (w *transformer) printf(format string, args ...any) { fmt.Fprintf(&w.out, format, args...) }

func (w *transformer) header() {
	w.printf("HloModule jit_train_step, entry_computation_layout={(")
	w.parameters(func(shape, _ string) { w.printf("%s{1,0}, ", shape) })
	w.printf("f32[%d,%d]{1,0})->(", tokens, width)
	w.parameters(func(shape, _ string) { w.printf("%s{1,0}, ", shape) })
	w.printf("f32[])}, num_partitions=8\n\nFileNames\n1 \"/home/user/proj/model.py\"\n2 \"/home/user/proj/train.py\"\n\n")
	w.printf("FunctionNames\n1 \"block\"\n2 \"forward\"\n3 \"train_step\"\n\nFileLocations\n")
	for k := range 20 {
		w.printf("%d {file_name_id=1 function_name_id=1 line=%d end_line=%d column=8 end_column=8}\n", k+1, 30+k, 30+k)
	}
	w.printf("21 {file_name_id=1 function_name_id=2 line=70 end_line=70 column=12 end_column=12}\n")
	w.printf("22 {file_name_id=2 function_name_id=3 line=15 end_line=15 column=4 end_column=4}\n\nStackFrames\n")
	w.printf("1 {file_location_id=22 parent_frame_id=1}\n2 {file_location_id=21 parent_frame_id=2}\n")
	for k := range 20 {
		w.printf("%d {file_location_id=%d parent_frame_id=3}\n", k+3, k+1)
	}
	w.printf("\n")
}

// parameters visits the weights of all layers.
func (w *transformer) parameters(visit func(shape, name string)) {
	for l := range w.layers {
		for _, p := range weights {
			visit(fmt.Sprintf("f32[%d,%d]", p.rows, p.cols), fmt.Sprintf("params['layer_%d']['%s']", l, p.name))
		}
	}
}

// reducers writes the sums that the collectives of a layer apply.
func (w *transformer) reducers(l int) {
	for _, d := range []string{"bf16", "f32"} {
		w.printf("%%add.%s.%d (x.%[2]d: %[1]s[], y.%[2]d: %[1]s[]) -> %[1]s[] {\n  %%x.%[2]d = %[1]s[] parameter(0)\n  %%y.%[2]d = %[1]s[] parameter(1)\n"+
			"  ROOT %%sum.%[2]d = %[1]s[] add(%%x.%[2]d, %%y.%[2]d)\n}\n\n", d, l)
	}
}

// emit writes an instruction and returns its name.
func (w *transformer) emit(shape, opcode, operands, attributes, opName string) string {
	w.n++
	name := fmt.Sprintf("%s.%d", opcode, w.n)
	w.printf("  %%%s = %s %s(%s)", name, shape, opcode, operands)
	if attributes != "" {
		w.printf(", %s", attributes)
	}
	w.printf(", metadata={op_name=\"jit(train_step)/%s\" stack_frame_id=%d}\n", opName, 3+w.n%20)
	return name
}

func shape(dtype string, rows, cols int) string {
	return fmt.Sprintf("%s[%d,%d]{1,0}", dtype, rows, cols)
}

const (
	dotForward  = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"
	dotToInput  = "lhs_contracting_dims={1}, rhs_contracting_dims={1}"
	dotToWeight = "lhs_contracting_dims={0}, rhs_contracting_dims={0}"
)

// sum writes an all-reduce over the model or the data axis.
func (w *transformer) sum(dtype string, rows, cols int, x, groups string, layer int, opName string) string {
	w.channel++
	attributes := fmt.Sprintf("channel_id=%d, replica_groups=%s, use_global_device_ids=true, to_apply=%%add.%s.%d", w.channel, groups, dtype, layer)
	return w.emit(shape(dtype, rows, cols), "all-reduce", "%"+x, attributes, opName)
}

const (
	overModel = "[4,2]<=[8]"
	overData  = "mesh['axis_0'=4,'axis_1'=2] {'axis_0'}"
)

// saved is what a layer keeps for its backward pass.
type saved struct {
	in, act, pre string
	w            [len(weights)]string
}

func (w *transformer) entry() {
	w.printf("ENTRY %%main_spmd (")
	var names []string
	w.parameters(func(shape, name string) {
		names = append(names, fmt.Sprintf("param.%d", len(names)))
		w.printf("%s: %s, ", names[len(names)-1], shape)
	})
	w.printf("param.x: f32[%d,%d]) -> (", tokens, width)
	w.parameters(func(shape, _ string) { w.printf("%s, ", shape) })
	w.printf("f32[]) {\n")
	k := 0
	w.parameters(func(shape, name string) {
		w.printf("  %%param.%d = %s{1,0} parameter(%d), sharding={replicated}, metadata={op_name=\"%s\"}\n", k, shape, k, bytes.ReplaceAll([]byte(name), []byte("'"), []byte(`\'`)))
		k++
	})
	w.printf("  %%param.x = %s parameter(%d), sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}, metadata={op_name=\"x\"}\n", shape("f32", tokens, width), k)
	w.steps(names)
}

// steps writes the forward pass, the backward pass and the update.
func (w *transformer) steps(params []string) {
	x := w.emit(shape("bf16", tokens, width), "convert", "%param.x", "", "jvp()/convert_element_type")
	layers := make([]saved, w.layers)
	for l := range layers {
		x = w.forward(&layers[l], l, x, params[l*len(weights):])
	}
	w.n++
	w.printf("  %%constant.%d = f32[] constant(0.01)\n", w.n)
	rate := fmt.Sprintf("constant.%d", w.n)
	results := make([]string, len(params))
	g := x
	for l := w.layers - 1; l >= 0; l-- {
		g = w.backward(&layers[l], l, g, rate, params[l*len(weights):], results[l*len(weights):])
	}
	w.printf("  ROOT %%tuple = (")
	w.parameters(func(shape, _ string) { w.printf("%s{1,0}, ", shape) })
	w.printf("f32[]) tuple(")
	for _, r := range results {
		w.printf("%%%s, ", r)
	}
	w.printf("%%%s)\n}\n", rate)
}

// forward writes a layer: x + sum(act(x·w_in)·w_out) and a projection of it.
func (w *transformer) forward(s *saved, l int, x string, params []string) string {
	scope := fmt.Sprintf("jvp(decoder)/layer_%d/", l)
	for k, p := range weights {
		s.w[k] = w.emit(shape("bf16", p.rows, p.cols), "convert", "%"+params[k], "", scope+"convert_element_type")
	}
	s.in = x
	s.pre = w.emit(shape("bf16", tokens, hidden), "dot", "%"+x+", %"+s.w[0], dotForward, scope+"mlp/up/dot_general")
	s.act = w.emit(shape("bf16", tokens, hidden), "tanh", "%"+s.pre, "", scope+"mlp/tanh")
	y := w.emit(shape("bf16", tokens, width), "dot", "%"+s.act+", %"+s.w[1], dotForward, scope+"mlp/down/dot_general")
	wide := w.emit(shape("f32", tokens, width), "convert", "%"+y, "", scope+"mlp/down/convert_element_type")
	sum := w.sum("f32", tokens, width, wide, overModel, l, scope+"mlp/down/dot_general")
	narrow := w.emit(shape("bf16", tokens, width), "convert", "%"+sum, "", scope+"mlp/convert_element_type")
	z := w.emit(shape("bf16", tokens, width), "add", "%"+x+", %"+narrow, "", scope+"add")
	p := w.emit(shape("bf16", tokens, width), "dot", "%"+z+", %"+s.w[2], dotForward, scope+"attention/output_projection/dot_general")
	return w.emit(shape("bf16", tokens, width), "add", "%"+z+", %"+p, "", scope+"add")
}

// backward writes the gradients of a layer, their sums over the data axis, and the updated weights; it returns the gradient of the
// layer's input.
func (w *transformer) backward(s *saved, l int, g, rate string, params, results []string) string {
	scope := fmt.Sprintf("transpose(jvp(decoder))/layer_%d/", l)
	back := func(rows, cols int, a, b, how, name string) string {
		return w.emit(shape("bf16", rows, cols), "dot", "%"+a+", %"+b, how, scope+name)
	}
	toAct := back(tokens, hidden, g, s.w[1], dotToInput, "mlp/down/dot_general")
	square := w.emit(shape("bf16", tokens, hidden), "multiply", "%"+s.act+", %"+s.act, "", scope+"mlp/square")
	toPre := w.emit(shape("bf16", tokens, hidden), "multiply", "%"+toAct+", %"+square, "", scope+"mlp/mul")
	grads := [len(weights)]string{
		back(width, hidden, s.in, toPre, dotToWeight, "mlp/up/dot_general"),
		back(hidden, width, s.act, g, dotToWeight, "mlp/down/dot_general"),
		back(width, width, s.in, g, dotToWeight, "attention/output_projection/dot_general"),
	}
	for k, p := range weights {
		sum := w.sum("bf16", p.rows, p.cols, grads[k], overData, l, scope+"dot_general")
		wide := w.emit(shape("f32", p.rows, p.cols), "convert", "%"+sum, "", scope+"convert_element_type")
		step := w.emit(shape("f32", p.rows, p.cols), "broadcast", "%"+rate, "dimensions={}", "mul")
		scaled := w.emit(shape("f32", p.rows, p.cols), "multiply", "%"+wide+", %"+step, "", "mul")
		results[k] = w.emit(shape("f32", p.rows, p.cols), "subtract", "%"+params[k]+", %"+scaled, "", "sub")
	}
	toIn := back(tokens, width, toPre, s.w[0], dotToInput, "mlp/up/dot_general")
	wide := w.emit(shape("f32", tokens, width), "convert", "%"+toIn, "", scope+"mlp/convert_element_type")
	sum := w.sum("f32", tokens, width, wide, overModel, l, scope+"mlp/up/dot_general")
	narrow := w.emit(shape("bf16", tokens, width), "convert", "%"+sum, "", scope+"mlp/convert_element_type")
	return w.emit(shape("bf16", tokens, width), "add", "%"+g+", %"+narrow, "", scope+"add_any")
}
