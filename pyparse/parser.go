package pyparse

// #cgo CFLAGS: -O2
// #include <stdlib.h>
// #include "arena.h"
// #include "dump.h"
import "C"

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/python"
)

// MaxSource is the size in bytes up to which a file is parsed; a larger one yields an empty module and a [Problem].
const MaxSource = 64 << 20

// grammar is the table that turns grammar numbers into ours.
type grammar struct {
	language *sitter.Language
	kinds    []uint8
	fields   []uint8
}

// loadGrammar reads the tables of the linked grammar once; the result never changes.
var loadGrammar = sync.OnceValue(func() *grammar {
	C.arena_install()
	g := &grammar{language: python.GetLanguage()}
	named := map[string]Kind{
		"comment": kindComment, "string_start": kindLeafSkip, "string_end": kindLeafSkip, "string_content": kindLeafSkip,
	}
	for k := KindOperator + 1; k < kindCount; k++ {
		if k != KindAsync && k != KindWildcard {
			named[kindNames[k]] = k
		}
	}
	g.kinds = make([]uint8, g.language.SymbolCount())
	for i := range g.kinds {
		s := sitter.Symbol(i)
		name := g.language.SymbolName(s)
		switch g.language.SymbolType(s) {
		case sitter.SymbolTypeRegular:
			g.kinds[i] = uint8(named[name])
		case sitter.SymbolTypeAnonymous:
			g.kinds[i] = uint8(tokenKind(name))
		}
	}
	g.fields = fieldTable(g.language)
	return g
})

// tokenKind says which anonymous tokens are worth a node.
func tokenKind(name string) Kind {
	switch name {
	case "async":
		return KindAsync
	case "_":
		return KindWildcard
	case "+", "-", "*", "/", "//", "%", "@", "**", "&", "|", "^", "<<", ">>", "~",
		"<", "<=", "==", "!=", ">=", ">", "<>", "in", "is", "not in", "is not", "and", "or",
		"+=", "-=", "*=", "/=", "@=", "//=", "%=", "**=", ">>=", "<<=", "&=", "^=", "|=":
		return KindOperator
	}
	return kindSkip
}

func fieldTable(language *sitter.Language) []uint8 {
	named := map[string]Field{}
	for f := FieldNone + 1; f < fieldCount; f++ {
		named[fieldNames[f]] = f
	}
	table := []uint8{0}
	for i := 1; language.FieldName(i) != ""; i++ {
		table = append(table, uint8(named[language.FieldName(i)]))
	}
	return table
}

// Parser parses one file after the other and keeps its buffers in between. It is for one goroutine at a time.
type Parser struct {
	c       *C.flat_parser
	cleanup runtime.Cleanup
}

// NewParser returns a parser.
func NewParser() *Parser {
	g := loadGrammar()
	c := C.parser_new((*C.uint8_t)(unsafe.Pointer(&g.kinds[0])), C.uint32_t(len(g.kinds)),
		(*C.uint8_t)(unsafe.Pointer(&g.fields[0])), C.uint32_t(len(g.fields)))
	if c == nil {
		panic("pyparse: out of memory")
	}
	p := &Parser{c: c}
	p.cleanup = runtime.AddCleanup(p, func(c *C.flat_parser) { C.parser_delete(c) }, c)
	return p
}

// Close frees what the parser holds outside the Go heap. A parser that nobody refers to any more is closed by itself.
func (p *Parser) Close() {
	p.cleanup.Stop()
	C.parser_delete(p.c)
	p.c = nil
}

// Parsers lends parsers to any number of goroutines, so that files parsed one after the other share their buffers. The zero value is
// ready.
type Parsers struct{ idle sync.Pool }

// Parse parses one file like [Parse].
func (ps *Parsers) Parse(path string, source []byte) *File {
	p, ok := ps.idle.Get().(*Parser)
	if !ok {
		p = NewParser()
	}
	defer ps.idle.Put(p)
	return p.parseAll(path, source)
}

// maxChained bounds the number of parses that follow chains of subscripts in annotations.
const maxChained = 4

// ErrCancelled is returned when the context ends before the parse does.
var ErrCancelled = errors.New("parse cancelled")

// Parse parses one file and keeps source, which must not change afterwards; a carriage return that ends a line alone becomes a line feed in
// what is kept. The error is non-nil only when ctx ended; what is
// wrong with the content is in [File.Problems].
func (p *Parser) Parse(ctx context.Context, path string, source []byte) (*File, error) {
	f := &File{Path: path, Source: linesEnded(source)}
	if len(source) > MaxSource || len(source) > math.MaxUint32/2 {
		f.Nodes = []Node{{Kind: KindModule, Next: 1}}
		f.link()
		f.Problems = append(f.Problems, Problem{Message: fmt.Sprintf("file of %d bytes is larger than the limit of %d", len(source), MaxSource)})
		f.finish()
		return f, nil
	}
	if err := p.parse(ctx, f); err != nil {
		return nil, fmt.Errorf("parse %s: %w", path, err)
	}
	f.finish()
	return f, nil
}

// parse fills f with the best tree it can get: as it is, with constructs rewritten that the grammar does not know, or repaired.
func (p *Parser) parse(ctx context.Context, f *File) error {
	text := decodable(f.Source)
	if err := p.tree(ctx, f, text); err != nil {
		return err
	}
	if f.errors == 0 && !f.odd() {
		if f.normalize() {
			f.link()
		}
		if f.cut {
			f.collectProblems()
		}
		return nil
	}
	tokens := scan(text)
	rewritten := rewrite(text, tokens)
	if rewritten.text != nil {
		if err := p.tree(ctx, f, rewritten.text); err != nil {
			return err
		}
	}
	for range maxChained {
		if f.errors == 0 || !rewritten.chainedSubscripts(f) {
			break
		}
		if err := p.tree(ctx, f, rewritten.text); err != nil {
			return err
		}
	}
	var repaired *repairer
	if f.errors > 0 {
		var err error
		if repaired, err = p.recover(ctx, f, rewritten); err != nil {
			return err
		}
	}
	rewritten.relabel(f)
	f.normalize()
	f.link()
	rewritten.mark(f)
	if repaired != nil {
		repaired.markBroken(f)
	}
	f.collectProblems()
	return nil
}

// recover looks for a better tree of a file that still has errors: with dedented lines joined if that removes them all, else with
// repairs if they remove some; then it returns the repairs.
func (p *Parser) recover(ctx context.Context, f *File, rewritten *rewriter) (*repairer, error) {
	better := &File{Path: f.Path}
	if joined := rewritten.joinDedented(); joined != nil {
		better.Source = joined
		if err := p.tree(ctx, better, joined); err != nil {
			return nil, err
		}
		if better.errors == 0 {
			f.takeTree(better)
			f.Comments = f.Comments[:0]
			for _, t := range rewritten.tokens {
				if t.class == tokComment {
					f.Comments = append(f.Comments, Comment{t.start, t.end})
				}
			}
			return nil, nil
		}
	}
	text := rewritten.text
	if text == nil {
		text = rewritten.source
	}
	r := repair(text)
	if len(r.insertions) == 0 && len(r.blanked) == 0 {
		return nil, nil
	}
	better.Source = r.patched()
	if err := p.tree(ctx, better, better.Source); err != nil {
		return nil, err
	}
	if better.errors >= f.errors {
		return nil, nil
	}
	r.mapBack(better)
	f.takeTree(better)
	return r, nil
}

// takeTree replaces what a parse found in f by what it found in other.
func (f *File) takeTree(other *File) {
	f.Nodes, f.parents, f.Comments = other.Nodes, other.parents, other.Comments
	f.Problems, f.errors, f.cut = other.Problems, other.errors, other.cut
}

// linesEnded returns source with a line feed for each carriage return that ends a line alone, as Python reads it; the grammar knows it
// only in front of a line feed.
func linesEnded(source []byte) []byte {
	var text []byte
	for i := 0; ; i++ {
		next := bytes.IndexByte(source[i:], '\r')
		if next < 0 {
			break
		}
		if i += next; i+1 < len(source) && source[i+1] == '\n' {
			continue
		}
		if text == nil {
			text = bytes.Clone(source)
		}
		text[i] = '\n'
	}
	if text == nil {
		return source
	}
	return text
}

// decodable returns source with bytes that are no UTF-8 replaced by letters: they come from a file in another encoding (PEP 263),
// where they stand in names, strings and comments.
func decodable(source []byte) []byte {
	if utf8.Valid(source) {
		return source
	}
	text := bytes.Clone(source)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			text[i] = 'x'
		}
		i += size
	}
	return text
}

// Parse parses one file with a parser of its own.
func Parse(path string, source []byte) *File {
	p := NewParser()
	defer p.Close()
	return p.parseAll(path, source)
}

// parseAll parses a file to its end.
func (p *Parser) parseAll(path string, source []byte) *File {
	f, err := p.Parse(context.Background(), path, source)
	if err != nil {
		panic(err) // the background context never ends, and memory for a tree of a capped size was refused
	}
	return f
}

// tree parses text and stores its nodes and comments in f. Text and f.Source have the same length and the same names.
func (p *Parser) tree(ctx context.Context, f *File, text []byte) error {
	if ctx.Err() != nil {
		return ErrCancelled
	}
	flag := (*uintptr)(unsafe.Pointer(C.parser_cancel_flag(p.c)))
	atomic.StoreUintptr(flag, 0)
	raised := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		atomic.StoreUintptr(flag, 1)
		close(raised)
	})
	defer func() {
		if !stop() {
			<-raised // or the flag would meet the next parse
		}
	}()
	var out C.flat_tree
	var first *C.char
	if len(text) > 0 {
		first = (*C.char)(unsafe.Pointer(&text[0]))
	}
	C.parser_parse(p.c, first, C.uint32_t(len(text)), &out)
	switch out.status {
	case C.STATUS_CANCELLED:
		return ErrCancelled
	case C.STATUS_NO_MEMORY:
		return errors.New("out of memory")
	case C.STATUS_UNFIT:
		panic("pyparse: the linked grammar does not fit the linked tree-sitter runtime")
	}
	f.Nodes = append([]Node(nil), unsafe.Slice((*Node)(unsafe.Pointer(out.nodes)), int(out.node_count))...)
	f.Comments = make([]Comment, 0, int(out.comment_count))
	for _, c := range unsafe.Slice(out.comments, int(out.comment_count)) {
		end := int(c.end)
		if end > 0 && text[end-1] == '\r' { // the grammar counts the first byte of a CRLF line break to the comment
			end--
		}
		f.Comments = append(f.Comments, Comment{Start: int(c.start), End: end})
	}
	f.cut = out.cut_count > 0
	f.link()
	f.errors = int(out.error_count) + f.suspects()
	return nil
}
