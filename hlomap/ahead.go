package hlomap

import "runtime"

// What makes decoding slow is not the work but the wait for memory: in a large file every instruction that is looked at after the
// pass is a piece of text that the processor no longer holds. Loops that know which instructions they will decode ask for all
// of them before, so that the waits overlap.

const (
	// aheadInstructions is how many instructions are asked for at a time: their text fits in the smaller caches.
	aheadInstructions = 64
	// aheadBytes is how much of each instruction's text is asked for: as much as most of them have.
	aheadBytes = 320
	// cacheLine is the size in bytes of what memory hands out at once.
	cacheLine = 64
)

// readAhead brings the text of instructions near. It changes nothing but how long the next look at them takes.
func (m *Module) readAhead(list []InstrID) {
	sum := byte(0)
	m.memory.look(m.at, list)
	for _, i := range list {
		if i == NoInstr {
			continue
		}
		at := int(m.at[i])
		for end := min(at+aheadBytes, len(m.content)); at < end; at += cacheLine {
			sum += m.content[at]
		}
	}
	runtime.KeepAlive(sum) // or the compiler would leave out the loads
}
