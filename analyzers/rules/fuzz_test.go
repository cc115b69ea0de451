package rules_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/shardls/shardls/analyzers"
	"github.com/shardls/shardls/analyzers/flow"
	"github.com/shardls/shardls/analyzers/link"
	"github.com/shardls/shardls/hlomap"
	"github.com/shardls/shardls/pyparse"
)

// FuzzDumpRules runs every rule that reads dumps over damaged modules: a dump that was cut off or edited must not stop them.
func FuzzDumpRules(f *testing.F) {
	dumps, err := filepath.Glob("../../testdata/hlo_cases/SHD*/bad_*/after_spmd.txt.gz")
	if err != nil || len(dumps) == 0 {
		f.Fatalf("found no dumps: %v", err)
	}
	for _, dump := range dumps {
		packed, err := os.ReadFile(dump)
		if err != nil {
			f.Fatal(err)
		}
		source, err := os.ReadFile(filepath.Join(filepath.Dir(dump), "program.py"))
		if err != nil {
			f.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			f.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, source, uint16(0), uint16(0))
		f.Add(text, source, uint16(40), uint16(7))
	}
	f.Fuzz(func(t *testing.T, dump, source []byte, from, count uint16) {
		dump = withoutLines(dump, int(from), int(count))
		modules, _ := hlomap.Open("after_spmd.txt", dump)
		var list []link.Dump
		for _, m := range modules {
			list = append(list, link.Dump{Path: "after_spmd.txt", Module: m})
		}
		program := &flow.Program{Files: map[string]*flow.File{"program.py": {Syntax: pyparse.Parse("program.py", source)}}}
		for _, m := range link.Modules(list, link.Options{Sources: link.NewSources([]string{"program.py"}, nil, nil), Program: program}) {
			for _, a := range dumpRules() {
				a.CheckDump(&analyzers.DumpPass{Module: m, Program: program, Report: func(f analyzers.Finding) {
					if f.Span.Start < 0 || f.Span.End > len(source) || f.Span.Start > f.Span.End {
						t.Errorf("%s reports %+v in a file of %d bytes", a.Code, f.Span, len(source))
					}
				}})
			}
		}
	})
}

// withoutLines cuts lines out of a text.
func withoutLines(text []byte, from, count int) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	from = min(from, len(lines))
	to := min(from+count, len(lines))
	return bytes.Join(append(append([][]byte(nil), lines[:from]...), lines[to:]...), nil)
}
