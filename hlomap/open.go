package hlomap

import "math"

// Open reads the modules in a file: HLO text or an HLO proto (HloProto or HloModuleProto), plain or compressed with gzip
// or zstd. The name is used for problems and to tell the stage; it need not be a file. The modules keep data, which
// must not be changed afterwards. Content never makes it fail: it returns what could be read and what could not.
func Open(name string, data []byte) ([]*Module, []Problem) {
	if int64(len(data)) > math.MaxUint32 {
		return nil, []Problem{{Path: name, Message: "larger than 4 GiB"}}
	}
	mods := readText(name, data)
	var problems []Problem
	for _, m := range mods {
		problems = append(problems, m.problems...)
	}
	return mods, problems
}

// DumpFile is what a dump's file name tells.
type DumpFile struct {
	Name     string
	Process  string // what tells several runs or hosts in one folder apart: the time stamp, "" without one
	ModuleID int    // XLA's number of the module, -1 where the name has none
	Module   string // the module's name, "" where the file name leaves it out
	Stage    Stage
	Proto    bool
	Helper   bool // one of the small modules JAX compiles on its own (jit_convert_element_type)
	Rank     int  // among files of one module: the smaller the better a source for names and lines
}

// ClassifyDump tells, for the names of the files in one folder, which hold HLO, and groups them: files of one module
// stand together, the most useful first, helper modules last. Files of other kinds are left out.
func ClassifyDump(names []string) [][]DumpFile {
	return nil
}
