package report

import (
	"bufio"
	_ "embed"
	"html"
	"io"
	"strconv"
	"strings"
)

//go:embed page.css
var style string

// Write writes a page as HTML that is XML as well.
func Write(w io.Writer, page *Page) error {
	p := &printer{w: bufio.NewWriter(w)}
	p.page(page)
	return p.w.Flush()
}

// printer writes markup as it is and text escaped. Its writer keeps the first error, which Flush returns.
type printer struct{ w *bufio.Writer }

func (p *printer) raw(parts ...string) {
	for _, s := range parts {
		_, _ = p.w.WriteString(s)
	}
}

// text writes text. What XML has no way to write is replaced.
func (p *printer) text(s string) {
	p.raw(html.EscapeString(strings.Map(func(c rune) rune {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0xFFFE || c == 0xFFFF {
			return '\uFFFD'
		}
		return c
	}, s)))
}

// element writes text in an element; attributes is markup.
func (p *printer) element(name, attributes, text string) {
	p.raw("<", name, attributes, ">")
	p.text(text)
	p.raw("</", name, ">")
}

// attribute writes an attribute whose value is text.
func (p *printer) attribute(name, value string) {
	p.raw(" ", name, `="`)
	p.text(value)
	p.raw(`"`)
}

func (t Tone) attribute() string {
	switch t {
	case Note:
		return ` class="note"`
	case Warning:
		return ` class="warning"`
	case Error:
		return ` class="error"`
	}
	return ""
}

func (p *printer) piece(t Text) {
	if t.Link == "" {
		if t.Tone == Plain {
			p.text(t.Text)
			return
		}
		p.element("span", t.Tone.attribute(), t.Text)
		return
	}
	p.raw("<a", t.Tone.attribute())
	p.attribute("href", t.Link)
	p.raw(">")
	p.text(t.Text)
	p.raw("</a>")
}

func (p *printer) page(page *Page) {
	p.raw("<!DOCTYPE html>\n", `<html lang="en" xmlns="http://www.w3.org/1999/xhtml"><head><meta charset="utf-8"/>`,
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>`,
		`<meta name="viewport" content="width=device-width, initial-scale=1"/>`)
	p.element("title", "", page.Title)
	p.raw("<style>", style, "</style></head>\n<body><header>")
	p.element("h1", "", page.Title)
	for _, line := range page.Lead {
		p.element("p", "", line)
	}
	p.raw("<nav>")
	for _, s := range page.Sections {
		p.piece(Text{Text: s.Title, Link: "#" + s.ID})
	}
	p.raw("</nav></header>\n<main>")
	for k := range page.Sections {
		s := &page.Sections[k]
		p.raw("<section")
		p.attribute("id", s.ID)
		p.raw(">")
		p.element("h2", "", s.Title)
		for _, b := range s.Blocks {
			b.write(p)
		}
		p.raw("</section>\n")
	}
	p.raw("</main></body></html>\n")
}

func (h Heading) write(p *printer) { p.element("h3", "", string(h)) }

func (b Paragraph) write(p *printer) {
	p.raw("<p", b.Tone.attribute(), ">")
	if b.Strong != "" {
		p.element("strong", "", b.Strong)
		p.raw(" ")
	}
	p.text(b.Text)
	p.raw("</p>\n")
}

func (t *Table) write(p *printer) {
	if t.Fold {
		p.raw("<details>")
		p.element("summary", "", t.Caption)
		defer p.raw("</details>\n")
	}
	p.raw(`<div class="wide"><table>`)
	if t.Caption != "" && !t.Fold {
		p.element("caption", "", t.Caption)
	}
	p.raw("<thead><tr>")
	for k := range t.Columns {
		p.element("th", t.cell(k), t.Columns[k].Title)
	}
	p.raw("</tr></thead><tbody>\n")
	for _, row := range t.Rows {
		p.raw("<tr>")
		for k, cell := range row {
			p.raw("<td", t.cell(k), ">")
			p.piece(cell)
			p.raw("</td>")
		}
		p.raw("</tr>\n")
	}
	p.raw("</tbody></table></div>\n")
}

// cell is the attribute of the cells of a column.
func (t *Table) cell(column int) string {
	if t.Columns[column].Right {
		return ` class="number"`
	}
	return ""
}

func (b *Bars) write(p *printer) {
	p.raw(`<table class="bars">`)
	p.element("caption", "", b.Caption)
	p.raw("<tbody>\n")
	most := 0.0
	for _, bar := range b.Bars {
		if bar.Amount != nil {
			most = max(most, *bar.Amount)
		}
	}
	for _, bar := range b.Bars {
		p.raw(`<tr><th scope="row">`)
		p.piece(bar.Label)
		p.raw(`</th><td class="number">`)
		p.text(bar.Text)
		p.raw("</td><td>")
		switch {
		case bar.Amount == nil:
			p.element("span", ` class="unknown"`, "unknown")
		case most > 0:
			p.raw(`<span class="bar" style="width:`, percent(*bar.Amount/most), `"></span>`)
		}
		p.raw("</td></tr>\n")
	}
	p.raw("</tbody></table>\n")
}

// percent is a part of 1 as CSS has it.
func percent(part float64) string {
	return strconv.FormatFloat(100*min(max(part, 0), 1), 'f', 1, 64) + "%"
}

func (l *Listing) write(p *printer) {
	p.element("h3", "", l.Path)
	p.raw(`<div class="wide"><table class="source"><tbody>` + "\n")
	for k := range l.Lines {
		line := &l.Lines[k]
		if k > 0 && line.Number != l.Lines[k-1].Number+1 {
			p.raw(`<tr class="gap"><td></td><td>⋮</td><td></td></tr>` + "\n")
		}
		p.raw("<tr")
		if line.ID != "" {
			p.attribute("id", line.ID)
		}
		if len(line.Marks) > 0 {
			p.raw(` class="marked"`)
		}
		p.raw(`><td class="number">`, strconv.Itoa(line.Number), `</td><td class="code"`)
		if line.Share > 0 {
			p.raw(` style="--share:`, percent(line.Share), `"`)
		}
		p.raw("><code>")
		p.text(line.Text)
		p.raw("</code></td><td>")
		for n, mark := range line.Marks {
			if n > 0 {
				p.raw("<br/>")
			}
			p.piece(mark)
		}
		p.raw("</td></tr>\n")
	}
	p.raw("</tbody></table></div>\n")
}
