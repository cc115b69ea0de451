package testrunner

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/shardls/shardls/internal/project"
)

const fixtures = "../../testdata/rules"

// TestRules judges every fixture of every rule and wants exactly the findings that its comments ask for.
func TestRules(t *testing.T) {
	judged := 0
	for _, rule := range project.Rules() {
		if _, err := os.Stat(filepath.Join(fixtures, rule.Code)); err != nil {
			continue
		}
		t.Run(rule.Code, func(t *testing.T) {
			t.Parallel()
			cases, err := Cases(fixtures, rule.Code)
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
		})
		judged++
	}
	if judged == 0 {
		t.Fatal("no rule has fixtures")
	}
}
