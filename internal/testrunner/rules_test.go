package testrunner

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/shardls/shardls/internal/project"
)

// roots hold the fixtures, in folders by rule: those that are judged from the source alone, and those with dumps.
func roots() []string { return []string{"../../testdata/rules", "../../testdata/hlo_cases"} }

// TestRules judges every fixture of every rule and wants exactly the findings that its comments ask for.
func TestRules(t *testing.T) {
	for _, root := range roots() {
		judged := 0
		for _, rule := range project.Rules() {
			if _, err := os.Stat(filepath.Join(root, rule.Code)); err != nil {
				continue
			}
			t.Run(filepath.Base(root)+"/"+rule.Code, func(t *testing.T) {
				t.Parallel()
				judge(t, root, rule.Code)
			})
			judged++
		}
		if judged == 0 {
			t.Errorf("no rule has fixtures in %s", root)
		}
	}
}

func judge(t *testing.T, root, code string) {
	cases, err := Cases(root, code)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		problems, err := c.Check(t.Context())
		if err != nil {
			t.Errorf("%s: %v", c.Path, err)
		}
		for _, p := range problems {
			t.Error(p)
		}
	}
}
