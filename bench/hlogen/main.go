// Command hlogen writes the HLO text of an unrolled training step of a given number of layers (see hlotest.Transformer) to
// standard output, for measurements.
package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/shardls/shardls/internal/hlotest"
)

func main() {
	layers := 0
	if len(os.Args) == 2 {
		layers, _ = strconv.Atoi(os.Args[1])
	}
	if layers <= 0 {
		fmt.Fprintln(os.Stderr, "usage: hlogen LAYERS > FILE")
		os.Exit(2)
	}
	if _, err := os.Stdout.Write(hlotest.Transformer(layers)); err != nil {
		fmt.Fprintln(os.Stderr, "hlogen:", err)
		os.Exit(1)
	}
}
