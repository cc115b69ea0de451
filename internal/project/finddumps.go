package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/shardls/shardls/internal/config"
)

// findDumps looks for dumps and logs, those of the command line first, and reads them.
func (w *Workspace) findDumps(ctx context.Context) error {
	finder := &DumpFinder{Dir: w.Dir, Map: w.options.MapDumps, Overlay: w.options.Overlay}
	for _, pattern := range w.options.HLO {
		if err := finder.Add(pattern, rankCommandLine); err != nil {
			return err
		}
	}
	logs := append([]string(nil), w.options.Logs...)
	for _, c := range w.configs() {
		finder.Dir = baseDir(c, w.Dir)
		if w.options.IgnoreConfiguredDumps {
			break
		}
		for _, pattern := range c.HLO.Dumps {
			// A configured dump that is not there is no error: not every machine has it.
			if err := finder.Add(pattern, rankConfigured); err != nil && !errors.Is(err, fs.ErrNotExist) {
				w.shared.settings.warn(config.Warning{Message: "hlo.dumps " + err.Error()})
			}
		}
		for _, log := range c.HLO.Logs {
			if !filepath.IsAbs(log) {
				log = filepath.Join(finder.Dir, log)
			}
			if _, err := os.Stat(log); err == nil {
				logs = append(logs, log)
			}
		}
	}
	for _, log := range logs {
		content, err := readFile(w.absolute(log))
		if err != nil {
			return fmt.Errorf("%s: %w", log, reason(err))
		}
		w.shared.logs = append(w.shared.logs, content)
	}
	for _, folder := range finder.barred {
		w.shared.settings.warn(config.Warning{Message: folder})
	}
	dumps, err := finder.Read(ctx, w.options.Cache, w.options.Progress)
	w.shared.dumps, w.shared.missing = dumps, finder.missing
	return err
}
