package distance

import "testing"

func TestBetween(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "data", 4}, {"data", "data", 0}, {"dta", "data", 1}, {"batch", "bath", 1}, {"rows", "cols", 2},
	} {
		if got := Between(c.a, c.b); got != c.want {
			t.Errorf("Between(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := Between(c.b, c.a); got != c.want {
			t.Errorf("Between(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
