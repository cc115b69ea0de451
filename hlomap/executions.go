package hlomap

import (
	"strconv"
	"strings"
)

// The values of Collective.ExecutionsReason.
const (
	reasonEntry  = "entry"
	reasonKnown  = "known trip count"
	reasonSolved = "solved condition"
)

// Times says how often a computation runs in one run of the module. Known is false where a loop on the way has a trip
// count that nothing tells.
type Times struct {
	N      int64
	Known  bool
	Reason string // "entry", "known trip count" or "solved condition"; "" when unknown
	// Conditional is set where a branch stands on the way: N is then what happens if the branch is always taken.
	Conditional bool
	// InLoop is set where a loop stands on the way.
	InLoop bool
}

// Trips is the number of iterations of one loop.
type Trips struct {
	N      int64
	Known  bool
	Reason string
}

// executions holds what is known of loops and computations.
type executions struct {
	times []Times
	trips map[InstrID]Trips
}

// Times returns how often a computation runs in one run of the module: calls add, loops multiply.
func (m *Module) Times(c CompID) Times { return m.runs().times[c] }

// Trips returns the number of iterations of a while instruction: from known_trip_count where the dump has it (only
// after optimization), else from its condition.
func (m *Module) Trips(i InstrID) Trips { return m.runs().trips[i] }

func (m *Module) runs() *executions {
	return m.execs.get(func() *executions {
		e := &executions{times: make([]Times, len(m.comps)), trips: map[InstrID]Trips{}}
		for i, op := range m.ops {
			if op == OpWhile {
				e.trips[InstrID(i)] = m.tripCount(InstrID(i))
			}
		}
		state := make([]uint8, len(m.comps))
		for c := len(m.comps) - 1; c >= 0; c-- { // callers mostly come later: this order keeps the recursion flat
			m.timesOf(e, CompID(c), state, 0)
		}
		return e
	})
}

const (
	timesTodo = iota
	timesOpen
	timesDone
)

// maxCallDepth bounds the nesting of computations that is followed.
const maxCallDepth = 10000

// timesOf sums over the call sites of a computation. A computation that calls itself, and one that nothing calls, runs
// an unknown number of times.
func (m *Module) timesOf(e *executions, c CompID, state []uint8, depth int) Times {
	switch {
	case state[c] == timesDone:
		return e.times[c]
	case state[c] == timesOpen || depth > maxCallDepth:
		return Times{}
	}
	state[c] = timesOpen
	var sum Times
	if c == m.entry {
		sum = Times{N: 1, Known: true, Reason: reasonEntry}
	} else {
		for k, caller := range m.Callers(c) {
			t := m.timesOf(e, m.Comp(caller), state, depth+1)
			t = m.through(e, caller, c, t)
			if k == 0 {
				sum = t
			} else {
				sum = sum.plus(t)
			}
		}
	}
	if !sum.Known {
		sum.N, sum.Reason = 0, ""
	}
	e.times[c], state[c] = sum, timesDone
	return sum
}

// through returns how often the caller runs computation c when it runs t times itself.
func (m *Module) through(e *executions, caller InstrID, c CompID, t Times) Times {
	switch m.ops[caller] {
	case OpConditional:
		t.Conditional = true
	case OpWhile:
		t.InLoop = true
		trips := e.trips[caller]
		if !trips.Known {
			return Times{InLoop: true, Conditional: t.Conditional}
		}
		n := trips.N
		if called := m.Called(caller); len(called) == 2 && called[1] == c && called[0] != c {
			n++ // the condition also runs when it fails
		}
		if t.Known && n != 0 && t.N > (1<<62)/n {
			return Times{InLoop: true, Conditional: t.Conditional}
		}
		t.N *= n
		if t.Reason == reasonEntry || trips.Reason == reasonSolved {
			t.Reason = trips.Reason
		}
	case OpScan:
		return Times{InLoop: true, Conditional: t.Conditional}
	}
	return t
}

// plus adds the runs from another call site.
func (t Times) plus(u Times) Times {
	sum := Times{N: t.N + u.N, Known: t.Known && u.Known, InLoop: t.InLoop || u.InLoop, Conditional: t.Conditional || u.Conditional}
	sum.Reason = t.Reason
	if u.Reason == reasonSolved || sum.Reason == reasonEntry {
		sum.Reason = u.Reason
	}
	return sum
}

// tripCount tells the iterations of a while.
func (m *Module) tripCount(i InstrID) Trips {
	if config, ok := m.src.attr(i, "backend_config"); ok {
		if n, ok := knownTripCount(config); ok {
			return Trips{N: n, Known: true, Reason: reasonKnown}
		}
	}
	if n, ok := m.solve(i); ok {
		return Trips{N: n, Known: true, Reason: reasonSolved}
	}
	return Trips{}
}

// knownTripCount reads `"known_trip_count":{"n":"80"}` wherever it stands in the configuration, which is JSON, or JSON in
// a quoted string, or neither. The number may stand in quotes or not.
func knownTripCount(config string) (int64, bool) {
	config = unquote([]byte(config))
	_, rest, ok := strings.Cut(config, `"known_trip_count"`)
	if !ok {
		return 0, false
	}
	rest = strings.TrimLeft(rest, " :{\n\t")
	rest, ok = strings.CutPrefix(rest, `"n"`)
	if !ok {
		return 0, false
	}
	rest = strings.TrimLeft(rest, ` :"`)
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(rest[:end], 10, 64)
	return n, err == nil
}
