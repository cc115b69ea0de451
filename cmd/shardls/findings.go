package main

import (
	"github.com/shardls/shardls/analyzers/driver"
	"github.com/shardls/shardls/internal/output"
	"github.com/shardls/shardls/internal/project"
)

// findingsReport is what printers take of a check.
func findingsReport(w *project.Workspace, result *driver.Result, env environment) *output.Report {
	r := w.Report(result)
	r.Dir, r.URL, r.Version = env.dir, ruleURL, shownVersion(env)
	if env.now != nil {
		r.Now = env.now()
	}
	return r
}

// ruleURL is the page of a rule.
func ruleURL(code string) string {
	return "https://github.com/shardls/shardls/blob/main/docs/rules/" + code + ".md"
}
