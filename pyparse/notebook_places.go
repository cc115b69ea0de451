package pyparse

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// cellPlaces finds where the texts of all cells of an .ipynb file are written, in the order of [Cell.Index].
func cellPlaces(content []byte) ([]*cellPlace, error) {
	skipped := len(content) - len(bytes.TrimPrefix(content, []byte(byteOrderMark)))
	w := &placeWalker{content: content, base: skipped, decoder: json.NewDecoder(bytes.NewReader(content[skipped:]))}
	var top, sheets []*cellPlace
	err := w.object(func(key string) error {
		switch key {
		case "cells":
			var err error
			top, err = w.cells()
			return err
		case "worksheets":
			return w.list(func() error {
				return w.object(func(key string) error {
					if key != "cells" {
						return w.skip()
					}
					more, err := w.cells()
					sheets = append(sheets, more...)
					return err
				})
			})
		}
		return w.skip()
	})
	if err != nil {
		return nil, fmt.Errorf("notebook: %w", err)
	}
	return append(top, sheets...), nil
}

// placeWalker reads the tokens of a JSON file and knows where they stand.
type placeWalker struct {
	content []byte
	base    int // bytes in front of what the decoder reads
	decoder *json.Decoder
}

// next reads one token and returns the range that it takes in the file.
func (w *placeWalker) next() (token json.Token, start, end int, err error) {
	start = w.base + int(w.decoder.InputOffset())
	token, err = w.decoder.Token()
	end = w.base + int(w.decoder.InputOffset())
	for start < end && bytes.IndexByte([]byte(" \t\r\n,:"), w.content[start]) >= 0 {
		start++
	}
	return token, start, end, err
}

// object calls visit at the value of every key; a value that is no object is skipped.
func (w *placeWalker) object(visit func(key string) error) error {
	return w.compound('{', func() error {
		key, _, _, err := w.next()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		return visit(name)
	})
}

// list calls visit at every element; a value that is no list is skipped.
func (w *placeWalker) list(visit func() error) error { return w.compound('[', visit) }

func (w *placeWalker) compound(open json.Delim, visit func() error) error {
	token, _, _, err := w.next()
	if err != nil {
		return err
	}
	if token != open {
		return w.rest(token)
	}
	for w.decoder.More() {
		if err := visit(); err != nil {
			return err
		}
	}
	_, _, _, err = w.next()
	return err
}

// skip reads one value.
func (w *placeWalker) skip() error {
	token, _, _, err := w.next()
	if err != nil {
		return err
	}
	return w.rest(token)
}

// rest reads what is left of a value whose first token has been read.
func (w *placeWalker) rest(token json.Token) error {
	if d, ok := token.(json.Delim); !ok || d != '{' && d != '[' {
		return nil
	}
	for depth := 1; depth > 0; {
		token, _, _, err := w.next()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	return nil
}

func (w *placeWalker) cells() ([]*cellPlace, error) {
	var out []*cellPlace
	err := w.list(func() error {
		place := &cellPlace{}
		out = append(out, place)
		return w.object(func(key string) error {
			if key != "source" && key != "input" {
				return w.skip()
			}
			return w.text(place)
		})
	})
	return out, err
}

// text reads a string or a list of strings.
func (w *placeWalker) text(place *cellPlace) error {
	token, start, end, err := w.next()
	if err != nil {
		return err
	}
	switch t := token.(type) {
	case string:
		*place = cellPlace{start: start, end: end, strings: []jsonString{{start, end, t}}}
		return nil
	case json.Delim:
		if t != '[' {
			return w.rest(token)
		}
	default:
		return nil
	}
	*place = cellPlace{list: true, start: start}
	for w.decoder.More() {
		token, start, end, err := w.next()
		if err != nil {
			return err
		}
		text, ok := token.(string)
		if !ok {
			return fmt.Errorf("a line of a cell is no string")
		}
		place.strings = append(place.strings, jsonString{start, end, text})
	}
	_, _, place.end, err = w.next()
	return err
}
