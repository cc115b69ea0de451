package config

import (
	"regexp"
	"strings"
)

// JAXFiles are the files that may say which JAX release a project uses, the most exact first. Patterns with a star are
// globs of one directory.
func JAXFiles() []string {
	return []string{
		"uv.lock", "poetry.lock", "pdm.lock", "requirements*.txt", "pyproject.toml", "environment.yml", "environment.yaml",
	}
}

// lockEntry finds the package jax in the TOML of uv.lock, poetry.lock and pdm.lock, which all write one [[package]] table
// with name and version for each.
var lockEntry = regexp.MustCompile(`(?m)^\[\[package\]\]\s*\r?\nname\s*=\s*"jax"\s*\r?\nversion\s*=\s*"([0-9][^"]*)"`)

// requirement finds a version of jax in requirement syntax: jax==0.4.35, jax[tpu]>=0.6,<0.7, "jax ~= 0.5.3", jax=0.4.35
// (conda). jaxlib and names that only contain jax are others.
var requirement = regexp.MustCompile(`(?mi)(?:^|["'\s])jax\s*(?:\[[^\]]*\])?\s*\(?((?:[=<>~!]=?=?\s*[0-9][0-9a-zA-Z.*+]*\s*,?\s*)+)`)

var clause = regexp.MustCompile(`(===?|~=|>=|<=|!=|[<>=])\s*([0-9]+(?:\.[0-9]+)*)`)

// poetry finds the table form of a requirement: jax = "0.4.35" or jax = "^0.4.30".
var poetry = regexp.MustCompile(`(?m)^jax\s*=\s*"(==|~|\^)?\s*([0-9]+(?:\.[0-9]+)*)"`)

// JAXRelease finds the release of JAX that the content of one of [JAXFiles] names: an exact pin, else the lower end of a
// range that is closed above. It returns "" where none is named; an open range such as jax>=0.4.30 names none, because
// what is installed may be any later release.
func JAXRelease(name string, content []byte) string {
	if strings.HasSuffix(name, ".lock") {
		if m := lockEntry.FindSubmatch(content); m != nil {
			return number(string(m[1]))
		}
		return ""
	}
	content = withoutComments(content)
	inRange := ""
	for _, m := range requirement.FindAllSubmatch(content, -1) {
		lower, closed := "", false
		for _, c := range clause.FindAllSubmatch(m[1], -1) {
			switch version := number(string(c[2])); string(c[1]) {
			case "==", "===", "=":
				return version
			case ">=":
				lower = version
			case "~=":
				lower, closed = version, true
			case "<", "<=":
				closed = true
			}
		}
		if closed && lower != "" {
			inRange = lower
		}
	}
	if m := poetry.FindSubmatch(content); m != nil && inRange == "" {
		return number(string(m[2]))
	}
	return inRange
}

func withoutComments(content []byte) []byte {
	lines := strings.Split(string(content), "\n")
	for i, l := range lines {
		if at := strings.IndexByte(l, '#'); at >= 0 && (at == 0 || l[at-1] == ' ' || l[at-1] == '\t') {
			lines[i] = l[:at]
		}
	}
	return []byte(strings.Join(lines, "\n"))
}

// number keeps the digits of a release: "0.4.35.dev1" is 0.4.35, and "0.6" stays as it is.
func number(version string) string {
	return strings.TrimSuffix(regexp.MustCompile(`^\d+(\.\d+){0,2}`).FindString(version), ".")
}
