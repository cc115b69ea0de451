package lsp

import (
	"context"
	"encoding/json"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/shardls/shardls/internal/output"
	"github.com/shardls/shardls/internal/project"
)

// reportAnswer is what the command "shardls.report" returns: a page of HTML that stands alone, for the editor to show.
type reportAnswer struct {
	HTML string `json:"html"`
}

// report is the page of the compiled modules that are read, as they are joined with the texts at the last pause.
func (s *server) report(ctx context.Context) (protocol.LSPAny, error) {
	a, err := s.results.wait(ctx, s.at.id)
	if err != nil {
		return nil, err
	}
	if len(a.dumps.modules()) == 0 {
		reason := "no HLO dump was read; the setting hlo.dumps names them"
		if a.loading {
			reason = "the HLO dumps are still being read"
		}
		return nil, requestFailed("there is nothing to report: %s", reason)
	}
	w := a.dumps.workspace
	hardware, profile := clocks(w)
	var modules []output.Module
	for _, shown := range w.Deciding() {
		times := newModuleTimes(w, shown.Module, hardware, profile)
		times.model.Gradients, times.model.Measured = shown.Dump.Gradients(), times.measured
		modules = append(modules, times.model)
	}
	var page strings.Builder
	if err := output.HTML(&page, s.printed(w, a.dumps), modules); err != nil {
		return nil, err
	}
	return json.Marshal(reportAnswer{HTML: page.String()})
}

// printed is what printers take of the findings.
func (s *server) printed(w *project.Workspace, dumps *dumpFacts) *output.Report {
	r := w.Report(dumps.result)
	r.URL, r.Version = s.ruleURL, s.options.Version
	return r
}
