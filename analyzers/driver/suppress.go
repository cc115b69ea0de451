package driver

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/internal/distance"
	"github.com/shardls/shardls/pyparse"
)

// directive is one code of one suppression comment, and whether a finding met it.
type directive struct {
	comment *pyparse.Suppression
	code    pyparse.SuppressedCode
	used    bool
}

// suppress splits findings into those that stand and the number of those that a comment keeps quiet, and adds what there
// is to say about the comments themselves.
func (r *run) suppress(findings []analyzers.Finding) (kept []analyzers.Finding, suppressed int) {
	byPath := map[string][]*directive{}
	for i := range r.in.Files {
		f := &r.in.Files[i]
		if r.trees[i] == nil {
			continue // a file that was not kept has no suppressions either
		}
		for j := range r.trees[i].Suppressions {
			s := &r.trees[i].Suppressions[j]
			for _, c := range s.Codes {
				c.Code = r.codeOf(c.Code)
				byPath[f.Path] = append(byPath[f.Path], &directive{comment: s, code: c})
			}
		}
	}
	add := func(more []analyzers.Finding) {
		for _, f := range more {
			file := r.byPath[f.Span.Path]
			if file != nil && !file.Settings.IgnoreSuppressions && quiet(byPath[f.Span.Path], f) {
				suppressed++
				continue
			}
			kept = append(kept, f)
		}
	}
	add(findings)
	for i := range r.in.Files {
		f := &r.in.Files[i]
		// Unknown codes first: a comment that keeps one of these findings quiet is not unused.
		add(r.unknownCodes(f, r.trees[i], byPath[f.Path]))
		add(r.unusedComments(f, byPath[f.Path]))
	}
	return kept, suppressed
}

// quiet marks every directive that covers f and reports whether there is one.
func quiet(directives []*directive, f analyzers.Finding) bool {
	hit := false
	for _, d := range directives {
		inside := f.Span.Start >= d.comment.ScopeStart && f.Span.Start < max(d.comment.ScopeEnd, d.comment.ScopeStart+1)
		if inside && strings.HasPrefix(f.Code, d.code.Code) {
			d.used, hit = true, true
		}
	}
	return hit
}

// unknownCodes reports codes that no rule has.
func (r *run) unknownCodes(f *File, syntax *pyparse.File, directives []*directive) []analyzers.Finding {
	severity, on := f.Settings.Rules[unknownSuppression]
	if !on {
		return nil
	}
	var out []analyzers.Finding
	for _, d := range directives {
		if !r.known(d.code.Code) {
			out = append(out, r.unknownCode(f, d, severity))
		}
	}
	return append(out, r.malformed(f, syntax, severity)...)
}

// malformed reports comments that mean to suppress something and name no code, which do nothing.
func (r *run) malformed(f *File, syntax *pyparse.File, severity analyzers.Severity) []analyzers.Finding {
	if syntax == nil {
		return nil
	}
	var out []analyzers.Finding
	for i := range syntax.Suppressions {
		s := &syntax.Suppressions[i]
		// A comment may also just speak of shardls.
		if s.Form != pyparse.Malformed || !bytes.Contains(syntax.Source[s.Start:s.End], []byte("ignore")) {
			continue
		}
		out = append(out, analyzers.Finding{
			Code: unknownSuppression, Name: r.name(unknownSuppression), Severity: severity, Evidence: analyzers.FromSource, Confidence: analyzers.Certain,
			Message: "this comment suppresses nothing; write shardls: ignore[SHD101] with the codes that it is for, or shardls: file-ignore[SHD101]",
			Span:    analyzers.Span{Path: f.Path, Start: s.Start, End: s.End},
		})
	}
	return out
}

// unusedComments reports suppressions that kept nothing quiet.
func (r *run) unusedComments(f *File, directives []*directive) []analyzers.Finding {
	severity, on := f.Settings.Rules[unusedSuppression]
	if !on || f.Settings.IgnoreSuppressions {
		return nil
	}
	unused := map[*pyparse.Suppression][]pyparse.SuppressedCode{}
	for _, d := range directives {
		if !d.used && r.known(d.code.Code) && r.judged(f, d.code.Code) {
			unused[d.comment] = append(unused[d.comment], d.code)
		}
	}
	var out []analyzers.Finding
	for comment, codes := range unused {
		out = append(out, r.unusedCodes(f, comment, codes, severity))
	}
	sortFindings(out)
	return out
}

// codeOf is the code of the rule that a suppression names; codes, and names that no rule has, stay as they are.
func (r *run) codeOf(name string) string {
	for _, a := range r.in.Analyzers {
		if a.Name == name {
			return a.Code
		}
	}
	return name
}

func (r *run) known(code string) bool {
	for _, a := range r.in.Analyzers {
		if strings.HasPrefix(a.Code, code) {
			return true
		}
	}
	return false
}

// judged reports whether every rule that code means ran on f: only then does silence prove the comment useless.
func (r *run) judged(f *File, code string) bool {
	for _, a := range r.in.Analyzers {
		if !strings.HasPrefix(a.Code, code) {
			continue
		}
		if _, on := f.Settings.Rules[a.Code]; !on || a.CheckDump != nil && !r.described(f.Path) || a.Code == unusedSuppression {
			return false
		}
		if r.crashed[crash{a.Code, f.Path}] {
			return false
		}
		for i := range r.in.Modules {
			if a.CheckDump != nil && r.crashed[crash{a.Code, r.in.Modules[i].Module.Name}] {
				return false
			}
		}
	}
	return true
}

// described reports whether a dump is about a file: only then can silence of a rule that needs dumps mean something.
func (r *run) described(path string) bool {
	if r.about == nil {
		r.about = map[string]bool{}
		for i := range r.in.Modules {
			m := r.in.Modules[i].Module
			for _, p := range m.Paths() {
				if file, ok := m.Sources.Match(p); ok {
					r.about[file] = true
				}
			}
		}
	}
	return r.about[path]
}

func (r *run) unknownCode(f *File, d *directive, severity analyzers.Severity) analyzers.Finding {
	noun, near := "code", r.nearestCode(d.code.Code)
	if strings.Contains(d.code.Code, "-") {
		noun, near = "name", r.nearestName(d.code.Code)
	}
	message := fmt.Sprintf("this comment suppresses %s, but no rule has that %s", d.code.Code, noun)
	fix := []analyzers.Fix{removal(f, d.comment, []pyparse.SuppressedCode{d.code})}
	if near != "" {
		message += fmt.Sprintf("; did you mean %s?", near)
		fix = []analyzers.Fix{{Title: "Replace by " + near, Safety: analyzers.Unsafe, Edits: []analyzers.Edit{{
			Span: analyzers.Span{Path: f.Path, Start: d.code.Start, End: d.code.End}, NewText: near,
		}}}}
	}
	return analyzers.Finding{
		Code: unknownSuppression, Name: r.name(unknownSuppression), Severity: severity, Message: message,
		Span: analyzers.Span{Path: f.Path, Start: d.code.Start, End: d.code.End}, Fixes: fix,
		Evidence: analyzers.FromSource, Confidence: analyzers.Certain,
	}
}

func (r *run) unusedCodes(f *File, s *pyparse.Suppression, codes []pyparse.SuppressedCode, severity analyzers.Severity) analyzers.Finding {
	names := make([]string, len(codes))
	for i, c := range codes {
		names[i] = c.Code
	}
	where := "here"
	if s.Form == pyparse.FileIgnore {
		where = "in this file"
	}
	span := analyzers.Span{Path: f.Path, Start: s.Start, End: s.End}
	if len(codes) < len(s.Codes) {
		span.Start, span.End = codes[0].Start, codes[0].End
	}
	return analyzers.Finding{
		Code: unusedSuppression, Name: r.name(unusedSuppression), Severity: severity, Span: span,
		Message:  fmt.Sprintf("nothing %s is suppressed by %s; remove it", where, strings.Join(names, ", ")),
		Fixes:    []analyzers.Fix{removal(f, s, codes)},
		Evidence: analyzers.FromSource, Confidence: analyzers.Certain,
	}
}

func (r *run) name(code string) string {
	if a := r.own(code); a != nil {
		return a.Name
	}
	return ""
}

// nearestCode returns the only known code that differs from code in one character.
func (r *run) nearestCode(code string) string {
	near := ""
	for _, a := range r.in.Analyzers {
		if len(a.Code) != len(code) {
			continue
		}
		differences := 0
		for i := range code {
			if code[i] != a.Code[i] {
				differences++
			}
		}
		if differences == 1 {
			if near != "" {
				return ""
			}
			near = a.Code
		}
	}
	return near
}

const farName = 4 // edits from which on a name is another one

// nearestName returns the name of a rule that is most like a name, "" where none is near.
func (r *run) nearestName(name string) string {
	near, least := "", farName
	for _, a := range r.in.Analyzers {
		if d := distance.Between(a.Name, name); d < least {
			near, least = a.Name, d
		}
	}
	return near
}

// removal takes codes out of a comment, and the whole comment away where no code is left in it.
func removal(f *File, s *pyparse.Suppression, codes []pyparse.SuppressedCode) analyzers.Fix {
	source := f.Facts.Tree().Source
	gone := map[int]bool{}
	names := make([]string, len(codes))
	for i, c := range codes {
		gone[c.Start] = true
		names[i] = c.Code
	}
	start, end, rest := codeList(source, s, gone)
	title := "Remove " + strings.Join(names, ", ") + " from the comment"
	if len(rest) == 0 {
		start, end = wholeComment(source, s)
		title = "Remove the comment"
	}
	return analyzers.Fix{
		Title: title, Safety: analyzers.Safe,
		Edits: []analyzers.Edit{{
			Span: analyzers.Span{Path: f.Path, Start: start, End: end}, NewText: strings.Join(rest, ", "),
		}},
	}
}

var listedCode = regexp.MustCompile(`[A-Za-z]+[0-9]*(?:-[A-Za-z0-9]+)*`)

// codeList returns the byte range of the codes that a comment lists, other tools' included, and those that stay.
func codeList(source []byte, s *pyparse.Suppression, gone map[int]bool) (start, end int, rest []string) {
	text := source[s.Start:s.End]
	from := max(bytes.IndexByte(text, '['), 0)
	bracketed := from > 0
	if !bracketed {
		from = max(bytes.IndexByte(text, ':'), 0)
	}
	start = -1
	for _, m := range listedCode.FindAllIndex(text[from:], -1) {
		at := s.Start + from + m[0]
		if start >= 0 && len(bytes.Trim(source[end:at], ", \t")) > 0 {
			break // the list has ended; what follows is the reason
		}
		if !bracketed && !strings.ContainsAny(string(source[at:at+m[1]-m[0]]), "0123456789") && !gone[at] {
			break
		}
		if start < 0 {
			start = at
		}
		end = s.Start + from + m[1]
		if !gone[at] {
			rest = append(rest, string(source[at:end]))
		}
	}
	return start, end, rest
}

// wholeComment is the range to delete so that no blanks and no empty line are left behind.
func wholeComment(source []byte, s *pyparse.Suppression) (start, end int) {
	start, end = s.Start, s.End
	lineStart := bytes.LastIndexByte(source[:start], '\n') + 1
	rest := source[end:]
	if newline := bytes.IndexAny(rest, "\r\n"); newline >= 0 {
		rest = rest[:newline]
	}
	if len(bytes.TrimSpace(rest)) > 0 { // another comment follows: the blanks before this one go on to it
		return start, end + len(rest) - len(bytes.TrimLeft(rest, " \t"))
	}
	if len(bytes.TrimSpace(source[lineStart:start])) > 0 {
		for start > lineStart && (source[start-1] == ' ' || source[start-1] == '\t') {
			start--
		}
		return start, end
	}
	if newline := bytes.IndexByte(source[end:], '\n'); newline >= 0 && len(bytes.TrimSpace(source[end:end+newline])) == 0 {
		return lineStart, end + newline + 1
	}
	return start, end
}
