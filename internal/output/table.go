package output

import (
	"encoding/csv"
	"fmt"
	"io"

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
			row[i] = Printable(cell)
		}
		writer.AppendRow(row)
	}
	_, err := fmt.Fprintln(w, writer.RenderMarkdown())
	return err
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
