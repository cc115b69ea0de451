package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/shardls/shardls/report"
)

// hostile is text that leaves the place it is written to wherever it is not escaped, with characters that XML can't have.
const hostile = "</code></td></style><script src='//x'>alert(1)</script>\"onload='x'&amp;\x00\x1b\xff"

// everything is a page with hostile text in all places.
func everything() *report.Page {
	text := report.Text{Text: hostile, Link: "#" + hostile, Tone: report.Error}
	amount, nothing := 2.0, 0.0
	return &report.Page{
		Title: hostile, Lead: []string{hostile},
		Sections: []report.Section{{ID: hostile, Title: hostile, Blocks: []report.Block{
			report.Heading(hostile),
			report.Paragraph{Strong: hostile, Text: hostile, Tone: report.Warning},
			&report.Table{Caption: hostile, Columns: []report.Column{{Title: hostile, Right: true}}, Rows: [][]report.Text{{text}}},
			&report.Table{Caption: hostile, Columns: []report.Column{{Title: hostile}}, Rows: [][]report.Text{{{Text: hostile, Tone: report.Note}}}, Fold: true},
			&report.Bars{Caption: hostile, Bars: []report.Bar{{Label: text, Amount: &amount, Text: hostile}, {Amount: &nothing}, {Text: "?"}}},
			&report.Listing{Path: hostile, Lines: []report.Line{
				{ID: hostile, Number: 1, Text: hostile, Share: 7, Marks: []report.Text{text, text}}, {Number: 5, Text: hostile},
			}},
		}}},
	}
}

func write(t *testing.T, page *report.Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Write(&b, page); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestWriteEscapesEverything reads the page as XML: the elements are those of the page itself, and the text comes back whole.
func TestWriteEscapesEverything(t *testing.T) {
	page := write(t, everything())
	allowed := " html head meta title style body header h1 p nav a main section h2 h3 strong div table caption thead tbody tr th td details summary span code br "
	replaced := strings.NewReplacer("\x00", "\uFFFD", "\x1b", "\uFFFD", "\xff", "\uFFFD").Replace(hostile)
	texts := 0
	d := xml.NewDecoder(strings.NewReader(page))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, page)
		}
		switch x := token.(type) {
		case xml.StartElement:
			if !strings.Contains(allowed, " "+x.Name.Local+" ") {
				t.Errorf("an element <%s>", x.Name.Local)
			}
			for _, a := range x.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "src" {
					t.Errorf("an attribute %s", a.Name.Local)
				}
			}
		case xml.CharData:
			if strings.Contains(string(x), replaced) {
				texts++
			}
		}
	}
	if want := 22; texts != want {
		t.Errorf("%d texts came back, want %d", texts, want)
	}
}

// TestWriteLoadsNothing: the page names nothing that a browser would fetch.
func TestWriteLoadsNothing(t *testing.T) {
	page := write(t, &report.Page{Title: "t", Sections: []report.Section{{ID: "s", Title: "s", Blocks: []report.Block{
		report.Paragraph{Text: "p"}, &report.Table{}, &report.Bars{}, &report.Listing{},
	}}}})
	page = strings.Replace(page, `xmlns="http://www.w3.org/1999/xhtml"`, "", 1)
	if at := regexp.MustCompile(`(?i)https?:|<script|<link|<img|\bsrc=|url\(|@import`).FindString(page); at != "" {
		t.Errorf("%q stands in\n%s", at, page)
	}
	if !strings.Contains(page, "default-src 'none'") {
		t.Error("the page does not forbid to load anything")
	}
}

// TestBarsTellUnknownFromNothing: an amount that is not known is not one of no length.
func TestBarsTellUnknownFromNothing(t *testing.T) {
	half, whole, nothing := 1.0, 2.0, 0.0
	page := write(t, &report.Page{Sections: []report.Section{{Blocks: []report.Block{&report.Bars{Bars: []report.Bar{
		{Label: report.Text{Text: "a"}, Amount: &half, Text: "1 B"}, {Label: report.Text{Text: "b"}, Amount: &whole, Text: "2 B"},
		{Label: report.Text{Text: "c"}, Amount: &nothing, Text: "0 B"}, {Label: report.Text{Text: "d"}, Text: "?"},
	}}}}}})
	for _, want := range []string{
		`>a</th><td class="number">1 B</td><td><span class="bar" style="width:50.0%">`,
		`>b</th><td class="number">2 B</td><td><span class="bar" style="width:100.0%">`,
		`>c</th><td class="number">0 B</td><td><span class="bar" style="width:0.0%">`,
		`>d</th><td class="number">?</td><td><span class="unknown">unknown</span>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWriteTellsErrors(t *testing.T) {
	if err := report.Write(broken{}, everything()); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the error is %v", err)
	}
}
