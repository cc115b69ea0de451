package lsp

import (
	"bytes"
	"strings"

	"github.com/shardls/shardls/analyzers"
)

// testRules are rules as simple as can be, so that the tests of the server do not change with the real ones.
func testRules() []*analyzers.Analyzer {
	return []*analyzers.Analyzer{
		{
			Code: "SHD191", Name: "misspelt-axis", Summary: "Misspelt axis", Severity: analyzers.Error,
			Evidence: analyzers.FromSource, Since: "0.1.0",
			Check: func(p *analyzers.Pass) {
				file := p.File.Syntax
				for from := 0; ; {
					i := bytes.Index(file.Source[from:], []byte(`"dta"`))
					if i < 0 {
						return
					}
					at := analyzers.Span{Path: file.Path, Start: from + i + 1, End: from + i + 4}
					from += i + 5
					if line := file.Source[bytes.LastIndexByte(file.Source[:at.Start], '\n')+1 : at.Start]; bytes.Contains(line, []byte("#")) {
						continue // in a mark
					}
					p.Report(analyzers.Finding{
						Message: `no mesh has an axis "dta"; did you mean "data"?`, Span: at,
						Fixes: []analyzers.Fix{
							{Title: `Replace "dta" by "data"`, Safety: analyzers.Safe, Edits: []analyzers.Edit{{Span: at, NewText: "data"}}},
							{Title: `Replace "dta" by "delta"`, Safety: analyzers.Unsafe, Edits: []analyzers.Edit{{Span: at, NewText: "delta"}}},
						},
						Related: []analyzers.Related{{Span: analyzers.Span{Path: file.Path}, Message: "the mesh is declared here"}},
					})
				}
			},
		},
		{
			Code: "SHD990", Name: "panics", Summary: "Panics", Severity: analyzers.Error,
			Evidence: analyzers.FromSource, Since: "0.1.0",
			Check: func(p *analyzers.Pass) {
				if strings.Contains(string(p.File.Syntax.Source), "PANIC_IN_RULE") {
					panic("on purpose")
				}
			},
		},
	}
}
