package hlomap_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/shardls/shardls/hlomap"
)

// laidOut is a module as XLA prints it.
const laidOut = `HloModule m, num_partitions=4

FileNames
1 "a.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=7 end_line=7 column=1 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(f32[] %a, f32[] %b)
}

ENTRY %e (p: (f32[8,16], s32[])) -> f32[8,16] {
  %p = (f32[8,16]{1,0:T(8,128)(2,1)}, s32[]) parameter(0), sharding={{replicated}, {maximal device=0}}
  %g = f32[8,16]{1,0} get-tuple-element(%p), index=0
  %c = s32[2]{0} constant({1, 2})
  %r = f32[8,16]{1,0} all-reduce(%g), channel_id=1, replica_groups=[2,2]<=[2,2]T(1,0), use_global_device_ids=true, to_apply=%add, metadata={op_name="x { y" stack_frame_id=1}
  ROOT %n = f32[8,16]{1,0} negate(%r)
}
`

// TestLayouts: XLA reads tokens, whatever white space and comments stand between them, and so does the reader.
func TestLayouts(t *testing.T) {
	lines := regexp.MustCompile(`(?m)^ \d+`)
	read := func(text string) string {
		out := lines.ReplaceAllString(graph(t, text), "")
		mods, _ := hlomap.Open("m.txt", []byte(text))
		if len(mods) != 1 {
			t.Fatalf("%d modules in\n%s", len(mods), text)
		}
		for _, c := range mods[0].Collectives() {
			out += fmt.Sprint(*c.ChannelID, c.ReplicaGroups, c.ReducerDType, *c.BytesPerExecution, c.OpName, c.Frames)
		}
		return out
	}
	want := read(laidOut)
	if !strings.HasSuffix(want, "1 [[0 2] [1 3]]f32512x { y[{a.py 7 1 f}]") {
		t.Fatal(want)
	}
	header, body, _ := strings.Cut(laidOut, "\n")
	for name, text := range map[string]string{
		"several instructions on a line":   strings.ReplaceAll(body, "\n  ", "  "),
		"all on one line":                  strings.ReplaceAll(body, "\n", " "),
		"each word on a line":              words(body, "\n"),
		"comments":                         words(body, " /* ( { \" ' a = f32[] b(c) */ "),
		"comments to the end of a line":    strings.ReplaceAll(body, "\n", " // } x = f32[] y(\n"),
		"tabs":                             words(body, "\t"),
		"CRLF":                             strings.ReplaceAll(body, "\n", "\r\n"),
		"attributes on lines of their own": strings.ReplaceAll(body, ", ", ",\n"),
		"no blanks":                        strings.NewReplacer(" = ", "= ", "%s = ", "%s=", "} ", "}", "] ", "]", ", ", ",").Replace(body),
		"blanks in brackets":               strings.NewReplacer("[8,16]", "[ 8 , 16 ]", "{1,0}", "{ 1,0 }", "(%g)", "( %g )").Replace(body),
		"blanks before brackets":           strings.NewReplacer("(%", " (%", "parameter(", "parameter (", "[8,16]{", "[8,16] {").Replace(body),
	} {
		if got := read(header + "\n" + text); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

// words puts a separator in the place of each blank outside of strings.
func words(text, separator string) string {
	parts := strings.Split(text, `"`)
	for k := range parts {
		if k%2 == 0 {
			parts[k] = strings.ReplaceAll(parts[k], " ", separator)
		}
	}
	return strings.Join(parts, `"`)
}

// TestLaidOutLines: lines are those of the file, also where instructions do not begin lines.
func TestLaidOutLines(t *testing.T) {
	text := "// by hand\nHloModule m\nENTRY e\n{\n  a\n  = f32[]\n  parameter(0)  b = f32[] negate(a)\n  ROOT\n  c = f32[] add(a, missing)\n}\n"
	want := "module m\ne entry:\n 5 a = parameter f32[]\n 7 b = negate a f32[]\n 9 c = add a ? f32[] root\nproblem 9: operand \"missing\" is not defined\n"
	if got := graph(t, text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestNotLaidOut: what is damaged is read as it stands where another layout does not give more.
func TestNotLaidOut(t *testing.T) {
	text := strings.Replace(laidOut, "}\n\nENTRY", "\nENTRY", 1) // a computation that is never closed
	got := graph(t, text)
	if !strings.Contains(got, "computation is never closed") || !strings.Contains(got, "e entry:\n 21 p = parameter") {
		t.Error(got)
	}
}
