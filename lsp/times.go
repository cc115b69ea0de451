package lsp

import (
	"fmt"

	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/output"
	"github.com/shardls/shardls/internal/project"
)

// moduleTimes tells how long the collectives of a module take: by a model of the configured accelerator, and by the configured profile.
type moduleTimes struct {
	model    output.Module // without collectives of its own
	measured func(c *hlomap.Collective) []hlomap.Measurement
}

// clocks are what times are told by. A wrong setting is reported with the configuration; here it only tells no times.
func clocks(w *project.Workspace) (*hlomap.Hardware, *hlomap.Profile) {
	hardware, err := w.Hardware("")
	if err != nil {
		hardware = nil
	}
	profile, _, err := w.Profile("")
	if err != nil {
		profile = nil
	}
	return hardware, profile
}

func newModuleTimes(w *project.Workspace, m *link.Module, hardware *hlomap.Hardware, profile *hlomap.Profile) *moduleTimes {
	t := &moduleTimes{}
	if m.Deciding == nil {
		return t
	}
	t.model = w.OutputModule(project.ShownDump{Dump: m.Deciding, Module: m})
	t.model.Hardware = hardware
	if profile != nil {
		t.measured, _ = m.Measure(profile, m.Deciding)
	}
	return t
}

// of describes the times of one collective, each in Markdown.
func (t *moduleTimes) of(c *hlomap.Collective) []string {
	if t == nil {
		return nil
	}
	var out []string
	if cost := t.model.CostOf([]hlomap.Collective{*c}); cost != nil {
		out = append(out, fmt.Sprintf("about %s per step on %s (%s model: `%s`)", cost.Text(), cost.Hardware, cost.Model, cost.Formula))
	}
	if t.measured == nil {
		return out
	}
	for _, m := range t.measured(c) {
		text := fmt.Sprintf("measured %s each time", output.Seconds(int64(m.MeanSeconds()*1e9)))
		if where := output.MeasuredName(m, c); where != "" {
			text += " " + where
		}
		out = append(out, fmt.Sprintf("%s (%d %s on %d %s)", text, m.Count, plural("event", m.Count), len(m.Devices), plural("device", len(m.Devices))))
	}
	return out
}
