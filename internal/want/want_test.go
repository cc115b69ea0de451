package want

import (
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	source := strings.Join([]string{
		`a = 1  # want SHD101 "one"  # want SHD101 "two"`,
		`b = 2`,
		`# want@-1 SHD102 "three" @"b"`,
	}, "\n")
	wants, err := Read("x.py", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	at := func(line int, code, message, marked string) Found {
		return Found{File: "x.py", Line: line, Code: code, Message: message, Marked: marked}
	}
	all := []Found{at(1, "SHD101", "one", ""), at(1, "SHD101", "two", ""), at(2, "SHD102", "three", "b")}
	tests := []struct {
		name  string
		found []Found
		want  string // part of the only problem, "" for none
	}{
		{"as wanted", all, ""},
		{"in another order", []Found{all[1], all[0], all[2]}, ""},
		{"missing", all[1:], `missing SHD101 "one"`},
		{"unexpected", append(all[:3:3], at(3, "SHD103", "four", "")), "unexpected SHD103"},
		{"twice", append(all[:3:3], all[0]), "unexpected SHD101"},
		{"other text marked", []Found{all[0], all[1], at(2, "SHD102", "three", "b = 2")}, `marks "b = 2"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			problems := Compare(wants, tt.found)
			switch {
			case tt.want == "" && len(problems) > 0:
				t.Errorf("Compare = %q, want none", problems)
			case tt.want != "" && (len(problems) != 1 || !strings.Contains(problems[0], tt.want)):
				t.Errorf("Compare = %q, want one with %q", problems, tt.want)
			}
		})
	}
}

func TestReadRefusesWhatItCannotRead(t *testing.T) {
	for _, line := range []string{`x  # want SHD101`, `x  # want SHD101 one`, `x  # want SHD101 "("`, `x  # want SHD101 "a" # want SHD102`, `x  # want SHD101 "a" SHD102 "b"`} {
		if wants, err := Read("x.py", []byte(line)); err == nil {
			t.Errorf("Read(%q) = %v, want an error", line, wants)
		}
	}
}
