package flow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shardls/shardls/pyparse"
)

// TestImportsBeyondTheLimit: files that a program may not load any more are not even parsed, and the main file is still itself to
// those that import it back.
func TestImportsBeyondTheLimit(t *testing.T) {
	const more = 10
	p := &Program{Files: map[string]*File{}}
	opened := 0
	add := func(path, source string) {
		p.Files[path] = &File{Open: func() *pyparse.File {
			opened++
			return pyparse.Parse(path, []byte(source))
		}}
	}
	main := "import lib\nNAME = 7\n"
	add("pkg/__init__.py", "")
	for i := range maxModules + more {
		add(fmt.Sprintf("pkg/m%d.py", i), "from pkg.main import NAME\n")
		main += fmt.Sprintf("from pkg.m%d import NAME as n%d\nlib.look(n%d)\n", i, i, i)
	}
	p.Files["pkg/main.py"] = &File{Syntax: pyparse.Parse("pkg/main.py", []byte(main))}
	facts := Interpret(p.Files["pkg/main.py"].Syntax, Options{Release: Newest(), Loader: p})
	if opened != maxModules-1 { // the main file is one of them
		t.Errorf("%d files were opened, want %d", opened, maxModules-1)
	}
	known := 0
	for _, e := range facts.Named("lib.look") {
		if v, ok := e.Value(0).(Int); ok && v == 7 {
			known++
		}
	}
	if known != maxModules-2 { // all but the main file and the package
		t.Errorf("%d names are known, want %d", known, maxModules-2)
	}
}

// TestPackagesRunFirst: the packages around a module run before it, the outermost first, for every way to import it.
func TestPackagesRunFirst(t *testing.T) {
	for _, statement := range []string{
		"from a.b.m import x\nx", "from a.b import m\nm", "import a.b.m as m\nm", "from a.b.m import *", "from .b.m import x\nx", "from .b import m\nm",
	} {
		p := &Program{Files: map[string]*File{}}
		for path, source := range map[string]string{
			"a/__init__.py": "import lib\nlib.look('a')\n", "a/b/__init__.py": "import lib\nlib.look('b')\n",
			"a/b/m.py": "import lib\nlib.look('m')\nx = 1\n", "a/main.py": statement + "\n",
		} {
			p.Files[path] = &File{Syntax: pyparse.Parse(path, []byte(source))}
		}
		var order []string
		for _, e := range Interpret(p.Files["a/main.py"].Syntax, Options{Release: Newest(), Loader: p}).Named("lib.look") {
			name, _ := String(e.Value(0))
			order = append(order, name)
		}
		if got := strings.Join(order, " "); got != "a b m" {
			t.Errorf("%q runs %s, want a b m", statement, got)
		}
	}
}
