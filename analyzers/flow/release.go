package flow

import (
	"fmt"
	"strconv"
	"strings"
)

// Release is a JAX release. Assumed is true when nothing in the workspace names one and the newest known is taken.
type Release struct {
	Major, Minor, Patch int
	Assumed             bool
}

// Newest is the newest JAX release the tables were measured with.
func Newest() Release { return Release{Major: 0, Minor: 10, Patch: 2, Assumed: true} }

// ParseRelease reads "0.10.2"; missing parts are zero and a suffix such as "rc1" is ignored.
func ParseRelease(s string) (Release, error) {
	var n [3]int
	for i, part := range strings.SplitN(s, ".", 4) {
		if i == len(n) {
			break
		}
		digits := len(part) - len(strings.TrimLeft(part, "0123456789"))
		v, err := strconv.Atoi(part[:digits])
		if err != nil {
			return Release{}, fmt.Errorf("JAX release %q: %w", s, err)
		}
		n[i] = v
	}
	return Release{Major: n[0], Minor: n[1], Patch: n[2]}, nil
}

// String prints the release: 0.10.2.
func (r Release) String() string { return fmt.Sprintf("%d.%d.%d", r.Major, r.Minor, r.Patch) }

// Compare is negative when r is older than o, positive when newer.
func (r Release) Compare(o Release) int {
	for _, d := range [...]int{r.Major - o.Major, r.Minor - o.Minor, r.Patch - o.Patch} {
		if d != 0 {
			return d
		}
	}
	return 0
}

// AtLeast reports whether r is the given release or a newer one.
func (r Release) AtLeast(major, minor, patch int) bool {
	return r.Compare(Release{Major: major, Minor: minor, Patch: patch}) >= 0
}
