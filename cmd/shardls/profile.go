package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/internal/output"
)

// readProfile reads the profile at a path, nil for no path. A folder has to hold exactly one XSpace.
func readProfile(env environment, path string) (*hlomap.Profile, error) {
	if path == "" {
		return nil, nil
	}
	at := path
	if !filepath.IsAbs(at) {
		at = filepath.Join(env.dir, at)
	}
	if info, err := os.Stat(at); err == nil && info.IsDir() {
		if at, err = profileIn(at); err != nil {
			return nil, fmt.Errorf("--profile %s: %w", path, err)
		}
	}
	data, err := os.ReadFile(at)
	if err != nil {
		return nil, fmt.Errorf("--profile %s: %w", path, err)
	}
	p, problems := hlomap.OpenProfile(path, data)
	if len(p.Ops) == 0 {
		reason := "it holds no event of an HLO instruction"
		if len(problems) > 0 {
			reason = problems[0].Message
		}
		return nil, fmt.Errorf("--profile %s: %s", path, reason)
	}
	for _, problem := range problems {
		fmt.Fprintf(env.err, "warning: %s: %s\n", path, problem.Message)
	}
	return p, nil
}

// profileIn finds the one XSpace below a folder.
func profileIn(dir string) (string, error) {
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, "xplane.pb") {
			found = append(found, path)
		}
		return nil
	})
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", fmt.Errorf("no *xplane.pb below it")
	case len(found) > 1:
		return "", fmt.Errorf("%d profiles below it; name one, such as %s", len(found), found[0])
	}
	return found[0], nil
}

// noteUnmeasured says on standard error when a profile speaks of another stage of a module than the one that is shown.
func noteUnmeasured(env environment, m *output.Module, profile string) {
	if m.Profile == nil || len(m.Collectives) == 0 {
		return
	}
	for i := range m.Collectives {
		if m.Profile.OfCollective(m.Name, &m.Collectives[i]) != nil {
			return
		}
	}
	fmt.Fprintf(env.err, "note: %s has no event of a collective of %s (%s); a profile names the instructions of the final module\n", profile, m.Path, m.Stage)
}
