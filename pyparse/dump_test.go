package pyparse

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/python"
)

// cursorNodes walks the binding's own tree and returns what the copy should hold, without parents and error flags.
func cursorNodes(t testing.TB, source []byte) (nodes []Node, comments []Comment) {
	t.Helper()
	parser := sitter.NewParser()
	defer parser.Close()
	parser.SetLanguage(python.GetLanguage())
	tree, err := parser.ParseCtx(context.Background(), nil, source)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	cursor := sitter.NewTreeCursor(tree.RootNode())
	defer cursor.Close()
	kinds := loadGrammar().kinds
	var walk func()
	walk = func() {
		n := cursor.CurrentNode()
		kind := KindError
		if int(n.Symbol()) < len(kinds) {
			kind = Kind(kinds[n.Symbol()])
		}
		field := FieldNone
		for f := FieldNone; f < fieldCount; f++ {
			if fieldNames[f] == cursor.CurrentFieldName() {
				field = f
			}
		}
		self := -1
		switch {
		case kind == kindComment:
			comments = append(comments, Comment{int(n.StartByte()), int(n.EndByte())})
			return
		case kind == kindLeafSkip && !n.IsMissing():
			return
		case (kind == kindSkip || kind == KindOperator && field == FieldNone) && !n.IsMissing():
		default:
			self = len(nodes)
			nodes = append(nodes, Node{Start: n.StartByte(), End: n.EndByte(), Kind: kind, Field: field})
		}
		if cursor.GoToFirstChild() {
			for more := true; more; more = cursor.GoToNextSibling() {
				walk()
			}
			cursor.GoToParent()
		}
		if self >= 0 {
			nodes[self].Next = uint32(len(nodes))
		}
	}
	walk()
	return nodes, comments
}

// TestDumpMatchesCursor compares the copied tree with the binding's cursor node by node. It fails when the structures declared in
// dump.c differ from those of the linked runtime.
func TestDumpMatchesCursor(t *testing.T) {
	var sources []string
	syntax, err := os.ReadFile("testdata/syntax.txt")
	if err != nil {
		t.Fatal(err)
	}
	sources = append(sources, strings.Split(string(syntax), "---\n")...)
	sources = append(sources, strings.ReplaceAll(string(syntax), "---\n", ""), "", "\n", "# c", "x = (", strings.Repeat("f(", 200)+strings.Repeat(")", 200))
	files, err := filepath.Glob("testdata/*/*.py")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, string(b))
	}
	p := NewParser()
	defer p.Close()
	total := 0
	for _, source := range sources {
		f := &File{Source: []byte(source)}
		if err := p.tree(context.Background(), f, f.Source); err != nil {
			t.Fatal(err)
		}
		nodes, comments := cursorNodes(t, f.Source)
		if len(nodes) != len(f.Nodes) || len(comments) != len(f.Comments) {
			t.Fatalf("%.80q: %d nodes and %d comments, the cursor sees %d and %d", source, len(f.Nodes), len(f.Comments), len(nodes), len(comments))
		}
		for i, want := range nodes {
			got := f.Nodes[i]
			got.Flags = 0
			if got != want {
				t.Fatalf("%.80q: node %d is %+v, the cursor sees %+v", source, i, got, want)
			}
		}
		total += len(nodes)
	}
	if total < 5000 {
		t.Errorf("only %d nodes compared", total)
	}
}

func TestNestingIsCapped(t *testing.T) {
	source := "x = " + strings.Repeat("(", 10000) + "1" + strings.Repeat(")", 10000) + "\ny = f(2)\n"
	f := Parse("deep.py", []byte(source))
	checkTree(t, f)
	if len(f.Problems) == 0 {
		t.Error("no problem reported")
	}
	if last := f.KindOf(f.NodeAt(len(source) - 3)); last != KindInteger {
		t.Errorf("what follows is lost: %v", last)
	}
	f.Scopes()
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := NewParser()
	defer p.Close()
	source := []byte(strings.Repeat("x = f(a, b)\n", 1000))
	if _, err := p.Parse(ctx, "a.py", source); !errors.Is(err, ErrCancelled) {
		t.Errorf("error %v", err)
	}
	f, err := p.Parse(context.Background(), "a.py", source)
	if err != nil || len(f.Problems) > 0 {
		t.Errorf("the parser is not usable after a cancelled parse: %v, %v", err, f.Problems)
	}
}
