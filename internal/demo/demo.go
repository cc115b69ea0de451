// Package demo embeds a small training script and the HLO that JAX 0.10.2 compiled for it on eight simulated CPU devices,
// so that every command has something real to work on without Python or devices.
//
// generate.sh makes the dump again from the script.
package demo

import (
	"embed"
	"io/fs"
)

//go:embed data
var data embed.FS

// Script is the name of the training script inside [Files].
const Script = "train.py"

// DumpDir is the folder of the dump inside [Files].
const DumpDir = "dump"

// ScriptPath is where the script lay when the dump was made; the dump's stack frames name it.
const ScriptPath = "/home/user/demo/train.py"

// Files returns the demo as a tree: train.py, and dump/ with the module right after the partitioner and the final one,
// both compressed with gzip.
func Files() fs.FS {
	sub, err := fs.Sub(data, "data")
	if err != nil { // only a malformed path can fail, and this one is constant
		panic(err)
	}
	return sub
}
