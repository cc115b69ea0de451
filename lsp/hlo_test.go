package lsp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

const smallHLO = `HloModule jit_f, entry_computation_layout={(f32[8]{0})->f32[8]{0}}, num_partitions=4

FileNames
1 "/home/user/train.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=4 end_column=4}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

%add (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %sum = f32[] add(%x, %y)
}

ENTRY %main (p: f32[8]) -> f32[8] {
  %p = f32[8]{0} parameter(0)
  %all-reduce.1 = f32[8]{0} all-reduce(%p), channel_id=1, replica_groups=[1,4]<=[4], use_global_device_ids=true, to_apply=%add, metadata={op_name="jit(f)/psum" stack_frame_id=1}
  ROOT %neg = f32[8]{0} negate(%all-reduce.1)
}
`

// openHLO opens a compiled module and returns a function that asks about the nth occurrence of a text in it.
func openHLO(t *testing.T) (*workspace, func(method, text string, nth int) json.RawMessage) {
	w := openWorkspace(t, `{"textDocument":{"documentSymbol":{"hierarchicalDocumentSymbolSupport":true}}}`, "", nil)
	w.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": w.uri("f.hlo"), "languageId": "hlo", "version": 1, "text": smallHLO,
	}})
	return w, func(method, text string, nth int) json.RawMessage {
		t.Helper()
		at := -1
		for range nth {
			next := strings.Index(smallHLO[at+1:], text)
			if next < 0 {
				t.Fatalf("no occurrence %d of %q", nth, text)
			}
			at += 1 + next
		}
		line := strings.Count(smallHLO[:at], "\n")
		character := at - strings.LastIndexByte(smallHLO[:at], '\n') - 1
		return w.call(method, fmt.Sprintf(`{"textDocument":{"uri":%q},"position":{"line":%d,"character":%d},"context":{"includeDeclaration":true}}`,
			w.uri("f.hlo"), line, character+1))
	}
}

func lineOf(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var locations []protocol.Location
	if err := protocol.Unmarshal(raw, &locations); err != nil || len(locations) != 1 {
		t.Fatalf("%s: %v, want one location", raw, err)
	}
	return strings.TrimSpace(strings.Split(smallHLO, "\n")[locations[0].Range.Start.Line])
}

func TestHLO(t *testing.T) {
	w, ask := openHLO(t)
	if got := lineOf(t, ask("textDocument/definition", "%all-reduce.1", 2)); !strings.HasPrefix(got, "%all-reduce.1 =") {
		t.Errorf("the definition of an operand is %q", got)
	}
	if got := lineOf(t, ask("textDocument/definition", "%add", 2)); !strings.HasPrefix(got, "%add (x") {
		t.Errorf("the definition of a computation is %q", got)
	}
	var references []protocol.Location
	if err := protocol.Unmarshal(ask("textDocument/references", "%p", 1), &references); err != nil || len(references) != 2 {
		t.Errorf("references of %%p: %+v, %v", references, err)
	}
	hover := string(ask("textDocument/hover", "%all-reduce.1", 1))
	for _, want := range []string{"all-reduce", "4 devices", "32 B", "jit(f)/psum", "/home/user/train.py:3"} {
		if !strings.Contains(hover, want) {
			t.Errorf("the hover does not say %q: %s", want, hover)
		}
	}
	symbols := string(w.call("textDocument/documentSymbol", fmt.Sprintf(`{"textDocument":{"uri":%q}}`, w.uri("f.hlo"))))
	for _, want := range []string{`"main"`, `"add"`, `"all-reduce.1"`} {
		if !strings.Contains(symbols, want) {
			t.Errorf("the outline lacks %s: %s", want, symbols)
		}
	}
	var folds []protocol.FoldingRange
	raw := w.call("textDocument/foldingRange", fmt.Sprintf(`{"textDocument":{"uri":%q}}`, w.uri("f.hlo")))
	if err := protocol.Unmarshal(raw, &folds); err != nil || len(folds) != 2 {
		t.Fatalf("folds %+v, %v", folds, err)
	}
	lines := strings.Split(smallHLO, "\n")
	for _, f := range folds {
		if !strings.HasSuffix(lines[f.StartLine], "{") || lines[f.EndLine] != "}" {
			t.Errorf("a fold from %q to %q", lines[f.StartLine], lines[f.EndLine])
		}
	}
	w.shutdown()
}
