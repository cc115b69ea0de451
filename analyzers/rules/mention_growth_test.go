package rules

import (
	"strings"
	"testing"

	"github.com/shardls/shardls/pyparse"
)

// A name that is assigned from itself in a hundred places is looked into once for each place and depth, not on every way.
func TestMentionsLookOnce(t *testing.T) {
	const n = 100
	f := pyparse.Parse("a.py", []byte("a = 2\n"+strings.Repeat("a = a ** a\n", n)+"print(a)\n"))
	search := mentionSearch{file: f, match: func(name string) bool { return name == "slice_id" }, seen: map[pyparse.NodeID]int{}, names: map[*pyparse.Symbol]int{}}
	if search.within(0, 0) {
		t.Error("found a name that the file does not hold")
	}
	if limit := (n + 2) * (maxMentionDepth + 2); search.steps > limit {
		t.Errorf("%d sources looked at, want at most %d", search.steps, limit)
	}
}
