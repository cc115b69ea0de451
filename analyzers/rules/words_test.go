package rules

import "testing"

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
