package hlomap

import "math"

// Open reads the modules in a file: HLO text or an HLO proto (HloProto or HloModuleProto), plain or compressed with gzip
// or zstd. The name is used for problems and to tell the stage; it need not be a file. The modules keep data, which
// must not be changed afterwards. Content never makes it fail: it returns what could be read and what could not.
func Open(name string, data []byte) ([]*Module, []Problem) {
	if int64(len(data)) > math.MaxUint32 {
		return nil, []Problem{{Path: name, Message: "larger than 4 GiB"}}
	}
	var mods []*Module
	var problems []Problem
	for _, m := range readText(name, data) {
		problems = append(problems, m.problems...)
		if m.name == "" && len(m.ops) == 0 {
			continue
		}
		m.stage = stageOf(m)
		mods = append(mods, m)
	}
	if len(mods) == 0 {
		return nil, []Problem{{Path: name, Message: "holds no HLO module"}}
	}
	return mods, problems
}
