// Package report writes a page of HTML that stands alone: it loads nothing, runs no script, and escapes all that it is told. It knows
// paragraphs, bars, tables and listings, and nothing of what they are about.
package report

// Page is what is said, in the order it is read.
type Page struct {
	Title    string
	Lead     []string // below the title, a paragraph each
	Sections []Section
}

// Section is a part of a page that the list at its top leads to.
type Section struct {
	ID     string // of the page's own: where links lead
	Title  string
	Blocks []Block
}

// Block is something in a section.
type Block interface{ write(p *printer) }

// Heading divides a section.
type Heading string

// Paragraph is running text.
type Paragraph struct {
	Strong string // in front of the text
	Text   string
	Tone   Tone
}

// Tone is how much something asks to be looked at.
type Tone uint8

// The tones.
const (
	Plain Tone = iota
	Note
	Warning
	Error
)

// Text is a piece of text that may lead somewhere.
type Text struct {
	Text string
	Link string // "" for none; "#id" stays on the page
	Tone Tone
}

// Table is rows of text under titles. A table of more than so many rows is folded up.
type Table struct {
	Caption string
	Columns []Column
	Rows    [][]Text
	Fold    bool // it is opened by hand
}

// Column is one column of a table.
type Column struct {
	Title string
	Right bool // numbers stand at the right
}

// Bars compare amounts by their length. An amount that is unknown has no length, and says so.
type Bars struct {
	Caption string
	Bars    []Bar
}

// Bar is one amount.
type Bar struct {
	Label  Text
	Amount *float64 // nil when it is unknown
	Text   string   // the amount for people
}

// Listing is parts of a source file with what is said of its lines.
type Listing struct {
	Path  string
	Lines []Line // in order; numbers that are left out are shown as a gap
}

// Line is a line of a listing.
type Line struct {
	ID     string // where links lead, "" for none
	Number int    // 1-based
	Text   string
	Share  float64 // 0 to 1: how much of all the line is the cause of
	Marks  []Text
}
