package config

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Template is a first configuration file: every setting that projects set, commented out, with what it means.
func Template() string {
	var b strings.Builder
	b.WriteString("# Settings of shardls. In pyproject.toml they stand below [tool.shardls].\n")
	for _, s := range settings() {
		if s.keys == nil {
			template(&b, "", s)
		}
	}
	for _, s := range settings() {
		if s.keys != nil {
			fmt.Fprintf(&b, "\n# %s\n[%s]\n", s.doc, s.name)
			for _, k := range s.keys {
				template(&b, "", k)
			}
		}
	}
	return b.String()
}

func template(b *strings.Builder, prefix string, s setting) {
	fmt.Fprintf(b, "\n# %s\n# %s%s = %s\n", s.doc, prefix, s.name, s.example)
}

// Markdown is the reference of all settings.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| setting | type | default | meaning |\n|---|---|---|---|\n")
	each("", settings(), func(name string, s setting) {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, s.kind, inCode(s.def), s.doc)
	})
	b.WriteString("\nAn example of each, as `shardls.toml`:\n\n```toml\n")
	for _, s := range settings() {
		if s.keys == nil {
			fmt.Fprintf(&b, "%s = %s\n", s.name, s.example)
		}
	}
	for _, s := range settings() {
		if s.keys != nil {
			fmt.Fprintf(&b, "\n[%s]\n", s.name)
			for _, k := range s.keys {
				fmt.Fprintf(&b, "%s = %s\n", k.name, k.example)
			}
		}
	}
	b.WriteString("```\n")
	return b.String()
}

// inCode marks a default that is TOML; one in words stays as it is.
func inCode(def string) string {
	if def != "" && (def == "true" || def == "false" || strings.ContainsAny(def[:1], `["{0123456789`)) {
		return "`" + def + "`"
	}
	return def
}

func each(prefix string, list []setting, f func(name string, s setting)) {
	for _, s := range list {
		if s.keys != nil {
			each(prefix+s.name+".", s.keys, f)
			continue
		}
		f(prefix+s.name, s)
	}
}

// String names a type for the reference.
func (k kind) String() string {
	return [...]string{
		"string", "integer", "number", "array of strings", "table", "table of arrays of strings", "table of strings",
		"table of tables of integers", "table of strings or arrays of strings", "table of strings", "string", "table of integers", "boolean",
	}[k]
}

// Schema is the JSON schema of the settings, for editors that complete TOML.
func Schema() ([]byte, error) {
	schema := object(settings())
	schema["$schema"] = "http://json-schema.org/draft-07/schema#"
	schema["title"] = "shardls"
	schema["description"] = "Settings of shardls: the table [tool.shardls] of pyproject.toml, or shardls.toml."
	out, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}

func object(list []setting) map[string]any {
	properties := map[string]any{}
	for _, s := range list {
		p := s.schema()
		p["description"] = s.doc
		properties[s.name] = p
	}
	return map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
}

func (s setting) schema() map[string]any {
	text := map[string]any{"type": "string"}
	texts := map[string]any{"type": "array", "items": text}
	mapOf := func(value any) map[string]any {
		return map[string]any{"type": "object", "additionalProperties": value}
	}
	switch s.kind {
	case integerKind:
		return map[string]any{"type": "integer", "minimum": 0}
	case numberKind:
		return map[string]any{"type": "number", "exclusiveMinimum": 0}
	case stringsKind:
		return map[string]any{"type": "array", "items": text}
	case tableKind:
		return object(s.keys)
	case codesMap:
		return mapOf(texts)
	case stringMap:
		return mapOf(text)
	case meshMap:
		size := map[string]any{"type": "integer", "minimum": 1}
		return mapOf(map[string]any{"anyOf": []any{size, mapOf(size)}})
	case axesMap:
		return mapOf(map[string]any{"anyOf": []any{text, texts}})
	case severityMap:
		return mapOf(map[string]any{"enum": []string{"error", "warning", "info", "off"}})
	case bytesMap:
		return mapOf(map[string]any{"type": "integer", "minimum": 0})
	case booleanKind:
		return map[string]any{"type": "boolean"}
	case durationKind:
		return map[string]any{"type": "string", "pattern": `^[0-9.]+(d|h|m|s)([0-9.]+(h|m|s))*$`}
	}
	if s.name == "target-jax" {
		return map[string]any{"type": "string", "pattern": releasePattern.String()}
	}
	return map[string]any{"type": "string"}
}
