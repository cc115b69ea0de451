package config

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// node is one TOML value with the 1-based line it starts on. Its value is a string, int64, float64, bool, []*node or
// *table; other TOML types are kept as their text in a literal.
type node struct {
	value any
	line  int
}

// table keeps its keys in the order of the file, which a Go map would lose: the order of mesh axes means something.
type table struct {
	keys  []string
	nodes map[string]*node
}

// literal is a TOML value of a type that no setting has, such as a date.
type literal string

func newTable() *table { return &table{nodes: map[string]*node{}} }

func (t *table) set(key string, n *node) {
	if t.nodes[key] == nil {
		t.keys = append(t.keys, key)
	}
	t.nodes[key] = n
}

// child returns the table under key, creating it where nothing stands there.
func (t *table) child(key string, line int) *table {
	if n := t.nodes[key]; n != nil {
		switch v := n.value.(type) {
		case *table:
			return v
		case []*node: // an array of tables: the last one is open
			if len(v) > 0 {
				if last, ok := v[len(v)-1].value.(*table); ok {
					return last
				}
			}
		}
	}
	c := newTable()
	t.set(key, &node{value: c, line: line})
	return c
}

// parseDocument reads TOML. The error names the line.
func parseDocument(data []byte) (*table, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	// The value decoder checks what the syntax tree below does not, such as keys that are defined twice.
	var all map[string]any
	if err := toml.Unmarshal(data, &all); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, _ := at.Position()
			return nil, &Error{Line: line, Message: strings.TrimPrefix(at.Error(), "toml: ")}
		}
		return nil, &Error{Message: err.Error()}
	}
	root := newTable()
	open := root
	b := &builder{data: data, line: 1}
	b.parser.Reset(data)
	for b.parser.NextExpression() {
		e := b.parser.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			open = b.open(root, e)
		case unstable.KeyValue:
			b.keyValue(open, e)
		}
	}
	return root, b.parser.Error()
}

type builder struct {
	parser unstable.Parser
	data   []byte
	offset int // up to where line was counted
	line   int
}

// lineAt returns the 1-based line of a byte offset. Expressions come in order, so the count goes on from the last one.
func (b *builder) lineAt(offset int) int {
	if offset < b.offset {
		return 1 + bytes.Count(b.data[:offset], []byte("\n"))
	}
	b.line += bytes.Count(b.data[b.offset:offset], []byte("\n"))
	b.offset = offset
	return b.line
}

func (b *builder) key(it unstable.Iterator) (keys []string, line int) {
	for it.Next() {
		n := it.Node()
		if keys == nil {
			line = b.lineAt(int(n.Raw.Offset))
		}
		keys = append(keys, string(n.Data))
	}
	return keys, line
}

func (b *builder) open(root *table, e *unstable.Node) *table {
	keys, line := b.key(e.Key())
	t := root
	for i, k := range keys {
		if i == len(keys)-1 && e.Kind == unstable.ArrayTable {
			return appendTable(t, k, line)
		}
		t = t.child(k, line)
	}
	return t
}

func appendTable(t *table, key string, line int) *table {
	n := t.nodes[key]
	if n == nil {
		n = &node{value: []*node(nil), line: line}
		t.set(key, n)
	}
	items, _ := n.value.([]*node)
	c := newTable()
	n.value = append(items, &node{value: c, line: line})
	return c
}

func (b *builder) keyValue(t *table, e *unstable.Node) {
	keys, line := b.key(e.Key())
	if len(keys) == 0 {
		return
	}
	for _, k := range keys[:len(keys)-1] {
		t = t.child(k, line)
	}
	t.set(keys[len(keys)-1], b.value(e.Value(), line))
}

func (b *builder) value(v *unstable.Node, line int) *node {
	n := &node{line: line}
	switch v.Kind {
	case unstable.String:
		n.value = string(v.Data)
	case unstable.Bool:
		n.value = string(v.Data) == "true"
	case unstable.Integer:
		i, err := strconv.ParseInt(strings.ReplaceAll(string(v.Data), "_", ""), 0, 64)
		if err != nil {
			n.value = literal(v.Data)
			return n
		}
		n.value = i
	case unstable.Float:
		f, err := strconv.ParseFloat(strings.ReplaceAll(string(v.Data), "_", ""), 64)
		if err != nil {
			n.value = literal(v.Data)
			return n
		}
		n.value = f
	case unstable.Array:
		items := []*node{}
		for it := v.Children(); it.Next(); {
			items = append(items, b.value(it.Node(), line))
		}
		n.value = items
	case unstable.InlineTable:
		t := newTable()
		for it := v.Children(); it.Next(); {
			b.keyValue(t, it.Node())
		}
		n.value = t
	default:
		n.value = literal(v.Data)
	}
	return n
}

// typeName names the type of a value as TOML does.
func (n *node) typeName() string {
	switch n.value.(type) {
	case string:
		return "a string"
	case int64:
		return "an integer"
	case float64:
		return "a float"
	case bool:
		return "a boolean"
	case []*node:
		return "an array"
	case *table:
		return "a table"
	}
	return "a date or time"
}

// Error is a setting that cannot be understood. Line is 1-based, 0 where there is none.
type Error struct {
	File    string
	Line    int
	Key     string
	Message string
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	}
	if e.Key != "" {
		b.WriteString(e.Key + ": ")
	}
	b.WriteString(e.Message)
	return b.String()
}
