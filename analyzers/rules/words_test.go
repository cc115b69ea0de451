package rules

import (
	"testing"

	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
)

func TestGradientOf(t *testing.T) {
	tests := []struct {
		parameters []string
		want       string
	}{
		{[]string{"a"}, "gradient of a"},
		{[]string{"a", "b"}, "gradients of a and b"},
		{[]string{"a", "b", "c", "d"}, "gradients of a, b, c and 1 more"},
	}
	for _, tt := range tests {
		if got := gradientOf(tt.parameters); got != tt.want {
			t.Errorf("gradientOf(%q) = %q, want %q", tt.parameters, got, tt.want)
		}
	}
}

// Where the file of the innermost frame was not asked about, the line found calls what made the value and does not hold it.
func TestContraction(t *testing.T) {
	for frame, want := range []string{"the weight-gradient product on this line is", "the weight-gradient product in what this line calls is"} {
		l := &lowSum{place: link.Place{Frame: frame}, sums: []summed{{reduction: &hlomap.Reduction{Cause: &hlomap.Cause{Opcode: "dot"}}}}}
		if got := l.contraction(); got != want {
			t.Errorf("frame %d: %q, want %q", frame, got, want)
		}
	}
}
