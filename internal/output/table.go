package output

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Column is one column of a [Table].
type Column struct {
	Title string
	Right bool // numbers stand at the right
	Raw   bool // the cells are our own and may hold colours
}

// Table is rows of text under titles.
type Table struct {
	Columns []Column
	Rows    [][]string
}

// WriteText prints the table for a terminal: columns apart by two blanks, no lines.
func (t *Table) WriteText(w io.Writer, style Style) error {
	writer := table.NewWriter()
	look := table.StyleDefault
	look.Options = table.OptionsNoBordersAndSeparators
	look.Box.PaddingLeft, look.Box.PaddingRight = "", "  "
	look.Format.Header = text.FormatDefault
	writer.SetStyle(look)
	header := make(table.Row, len(t.Columns))
	configs := make([]table.ColumnConfig, len(t.Columns))
	for i, c := range t.Columns {
		header[i] = style.bold(c.Title)
		configs[i] = table.ColumnConfig{Number: i + 1}
		if c.Right {
			configs[i].Align, configs[i].AlignHeader = text.AlignRight, text.AlignRight
		}
	}
	writer.SetColumnConfigs(configs)
	writer.AppendHeader(header)
	for _, r := range t.Rows {
		row := make(table.Row, len(r))
		for i, cell := range r {
			row[i] = Printable(cell)
			if t.Columns[i].Raw {
				row[i] = cell
			}
		}
		writer.AppendRow(row)
	}
	writer.SuppressTrailingSpaces()
	_, err := fmt.Fprintln(w, writer.Render())
	return err
}

// WriteMarkdown prints the table as Markdown.
func (t *Table) WriteMarkdown(w io.Writer) error {
	writer := table.NewWriter()
	header := make(table.Row, len(t.Columns))
	configs := make([]table.ColumnConfig, len(t.Columns))
	for i, c := range t.Columns {
		header[i] = c.Title
		configs[i] = table.ColumnConfig{Number: i + 1}
		if c.Right {
			configs[i].Align = text.AlignRight
		}
	}
	writer.SetColumnConfigs(configs)
	writer.AppendHeader(header)
	for _, r := range t.Rows {
		row := make(table.Row, len(r))
		for i, cell := range r {
			row[i] = markdownText(cell)
			if t.Columns[i].Raw {
				row[i] = cell
			}
		}
		writer.AppendRow(row)
	}
	_, err := fmt.Fprintln(w, writer.RenderMarkdown())
	return err
}

// markdownText is text that Markdown shows as it is: params['w_*'] must not begin to slant, nor <lambda> be taken for HTML.
func markdownText(s string) string {
	s = Printable(s)
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case strings.IndexByte("*<`~\\", c) >= 0, c == '_' && !insideWord(s, i):
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// insideWord reports whether letters or digits stand on both sides of a byte.
func insideWord(s string, i int) bool {
	return i > 0 && i+1 < len(s) && isWord(s[i-1]) && isWord(s[i+1])
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// WriteCSV prints the table as CSV with a header.
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	header := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		header[i] = c.Title
	}
	if err := out.Write(header); err != nil {
		return err
	}
	return out.WriteAll(t.Rows)
}
