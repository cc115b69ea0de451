// Package units spells quantities for people.
package units

import "fmt"

// Bytes prints a number of bytes for people: exact below 1 KiB, else with one decimal in binary units.
func Bytes(n int64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	value, unit := float64(n), ""
	for _, unit = range []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"} {
		if value /= 1 << 10; value < 1023.95 {
			break
		}
	}
	return fmt.Sprintf("%.1f %s", value, unit)
}
