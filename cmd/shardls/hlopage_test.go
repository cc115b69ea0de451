package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// hloPage is docs/hlo.md with the output that its commands have now: those of console blocks that start with "$ shardls", but for
// capture, which needs JAX. They run in a folder with stored dumps and the program of one of them.
func hloPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docs, "hlo.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := hloPageFolder(t)
	var out []string
	console, replaced := false, false
	for _, line := range strings.Split(string(text), "\n") {
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			console, replaced = line == "```console", false
		case console && isCommand:
			replaced = false
			if args, ok := strings.CutPrefix(command, "shardls "); ok && !strings.HasPrefix(args, "capture") {
				out = append(append(out, line), shown(t, dir, args)...)
				replaced = true
				continue
			}
		case replaced:
			continue // what the command printed when the page was written
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// shown runs a command line, which may read from "< FILE" and go through "| head -N", and returns the lines that a person sees.
func shown(t *testing.T, dir, line string) []string {
	t.Helper()
	line, head, cut := strings.Cut(line, " | head -")
	line, input, _ := strings.Cut(line, " < ")
	var buf bytes.Buffer
	env := environment{in: strings.NewReader(""), out: &buf, err: &buf, dir: dir, getenv: func(string) string { return "" }}
	if input != "" {
		content, err := os.ReadFile(filepath.Join(dir, input))
		if err != nil {
			t.Fatal(err)
		}
		env.in = bytes.NewReader(content)
	}
	if status := Main(context.Background(), strings.Fields(line), env); status == 2 {
		t.Errorf("docs/hlo.md: shardls %s: %s", line, buf.String())
	}
	lines := strings.Split(strings.TrimRight(buf.String(), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	if n, err := strconv.Atoi(head); cut && err == nil && n < len(lines) {
		lines = lines[:n]
	}
	return lines
}

// hloPageFolder lays out what the page's commands read.
func hloPageFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	stored := "../../testdata/"
	put := func(name string, content []byte) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) []byte {
		t.Helper()
		content, err := os.ReadFile(filepath.Join(stored, name))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	for folder, dump := range map[string]string{
		"dump": "cpu/dp_auto_bf16", "manual": "cpu/dp_shard_map", "tp": "cpu/tp_2d", "scan": "cpu/dp_scan", "pipeline": "cpu/pipeline_ppermute", "tpu": "tpu/dp_scan",
	} {
		for _, stage := range []string{"before_opt", "after_spmd", "after_opt"} {
			put(folder+"/"+stage+".txt.zst", read("hlo/"+dump+"/"+stage+".txt.zst"))
		}
	}
	put("host.xplane.pb.gz", read("profiles/dp_auto_bf16/xplane.pb.gz"))
	program := read("profiles/dp_auto_bf16/dp_auto_bf16.py")
	put("dp_auto_bf16.py", program)

	// The same program in a folder of its own, captured and then edited: a comment in front, and another product on the last line.
	put("edited/capture/sources/kept.py", program)
	put("edited/capture/step/module_0000.jit_train_step.after_spmd_partitioner.txt.zst", read("hlo/cpu/dp_auto_bf16/after_spmd.txt.zst"))
	put("edited/capture/manifest.json", fmt.Appendf(nil, `{"version": 1, "status": 0,
		"sources": [{"path": "/home/user/proj/dp_auto_bf16.py", "snapshot": "sources/kept.py"}],
		"modules": [{"name": "jit_train_step", "function": "train_step", "devices": 8, "sources": ["/home/user/proj/dp_auto_bf16.py"],
			"files": [{"path": "step/module_0000.jit_train_step.after_spmd_partitioner.txt.zst", "stage": "after-partitioning", "platform": "cpu"}]}]}`))
	program = append([]byte("# A decoder.\n"), program...)
	put("edited/dp_auto_bf16.py", bytes.Replace(program, []byte(`@ p["head"]`), []byte(`@ (2 * p["head"])`), 1))
	return dir
}
