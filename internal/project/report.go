package project

import (
	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/internal/output"
)

// Report gives printers what was found in the workspace, and access to its contents. The pages of rules, the version and the time are for
// the front end to add.
func (w *Workspace) Report(result *driver.Result) *output.Report {
	return &output.Report{
		Result: result, Dir: w.Dir, Files: len(w.Files), Rules: w.Analyzers(),
		Sources: func(path string) *output.Source {
			f := w.File(path)
			if f == nil {
				return nil
			}
			s := &output.Source{Text: f.Text()}
			if f.Cells != nil {
				s.Cell = f.Cells.Cell
			}
			return s
		},
	}
}
