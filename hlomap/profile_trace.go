package hlomap

import (
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

// ReadTrace reads the Chrome trace (`*.trace.json`, already decompressed) that xprof writes beside an XSpace. It holds the
// same device events with durations in microseconds, but no modules and, past a million events, not all of them.
func ReadTrace(name string, text io.Reader) (*Profile, []Problem) {
	r := &profileReader{name: name, ops: map[opKey]*MeasuredOp{}}
	d := json.NewDecoder(text)
	if err := seekArray(d, "traceEvents"); err != nil {
		r.problem("holds no traceEvents: " + err.Error())
		return r.finish(), r.problems
	}
	planes := map[int64]*ProfilePlane{}
	for d.More() {
		var e traceEvent
		if err := d.Decode(&e); err != nil {
			r.problem("damaged event: " + err.Error())
			break
		}
		r.traceEvent(&e, planes)
	}
	for _, process := range slices.Sorted(maps.Keys(planes)) {
		r.profile.Planes = append(r.profile.Planes, *planes[process])
	}
	return r.finish(), r.problems
}

type traceEvent struct {
	Phase    string      `json:"ph"`
	Process  int64       `json:"pid"`
	Name     string      `json:"name"`
	Duration json.Number `json:"dur"` // microseconds
	Args     struct {
		Name      string `json:"name"`
		Op        string `json:"hlo_op"`
		Module    string `json:"hlo_module"`
		ProgramID loose  `json:"program_id"`
		Ordinal   loose  `json:"device_ordinal"`
	} `json:"args"`
}

// loose is a number or a string: the trace writes most numbers as strings.
type loose string

func (l *loose) UnmarshalJSON(b []byte) error {
	*l = loose(strings.Trim(string(b), `"`))
	return nil
}

func (r *profileReader) traceEvent(e *traceEvent, planes map[int64]*ProfilePlane) {
	p := planes[e.Process]
	if p == nil {
		p = &ProfilePlane{}
		planes[e.Process] = p
	}
	if e.Phase == "M" && e.Name == "process_name" {
		p.Name = e.Args.Name
	}
	if e.Phase != "X" {
		return
	}
	p.Events++
	if e.Args.Op == "" {
		return
	}
	us, err := e.Duration.Float64()
	if err != nil {
		return
	}
	device := string(e.Args.Ordinal)
	if device == "" {
		device = p.Name
	}
	r.add(opKey{e.Args.Module, string(e.Args.ProgramID), e.Args.Op}, device, int64(math.Round(us*1e6)))
}

// seekArray moves d to the first element of the array that the outermost object holds under key.
func seekArray(d *json.Decoder, key string) error {
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		if t == key {
			_, err := d.Token()
			return err
		}
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			return err
		}
	}
	return io.ErrUnexpectedEOF
}
