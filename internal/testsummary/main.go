// Command testsummary reads the output of "go test -json" on standard input, prints what failed or was skipped with its
// output, and closes with one line such as "812 passed, 0 failed". It exits with status 1 if a test failed or was skipped,
// or if none ran.
package main

import (
	"fmt"
	"os"
)

func main() {
	s, err := summarize(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testsummary:", err)
		os.Exit(1)
	}
	if !s.ok() {
		os.Exit(1)
	}
}
