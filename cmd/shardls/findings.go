package main

import (
	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/internal/output"
	"github.com/shardls/shardls/internal/project"
)

// findingsReport gives printers access to the contents of a workspace.
func findingsReport(w *project.Workspace, result *driver.Result, env environment) *output.Report {
	r := &output.Report{
		Result: result, Dir: env.dir, Files: len(w.Files), URL: ruleURL, Rules: w.Analyzers(), Version: shownVersion(env),
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
	if env.now != nil {
		r.Now = env.now()
	}
	return r
}

// ruleURL is the page of a rule.
func ruleURL(code string) string {
	return "https://github.com/shardls/shardls/blob/main/docs/rules/" + code + ".md"
}
