package pyparse

import "bytes"

// The grammar accepts some text that Python does not: names that are keywords, statements of Python 2, and expressions that go on
// in the next line without brackets or a backslash. While somebody types, such text hides that the line is unfinished.

// suspects counts what the grammar let pass.
func (f *File) suspects() int {
	count := 0
	for i := range f.Nodes {
		if f.isSuspect(NodeID(i)) {
			count++
		}
	}
	return count
}

func (f *File) isSuspect(n NodeID) bool {
	switch f.Nodes[n].Kind {
	case KindIdentifier:
		return isKeyword(f.Bytes(n))
	case KindPrintStatement, KindExecStatement:
		return true
	case KindAttribute, KindAssignment, KindAugmentedAssignment, KindBinaryOperator, KindBooleanOperator, KindComparisonOperator,
		KindNotOperator, KindUnaryOperator:
		return f.crossesLine(n)
	}
	return false
}

// odd reports whether the tree holds statements that Python 3 reads in another way than the grammar.
func (f *File) odd() bool {
	for i := range f.Nodes {
		switch f.Nodes[i].Kind {
		case KindPrintStatement, KindExecStatement, KindTypeAliasStatement:
			return true
		}
	}
	return false
}

// isKeyword reports whether name can never be an identifier.
func isKeyword(name []byte) bool {
	if len(name) < 2 || len(name) > 8 {
		return false
	}
	switch string(name) {
	case "and", "as", "assert", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from",
		"global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with",
		"yield":
		return true
	}
	return false
}

// crossesLine reports whether a line ends between two children of n, or in front of the only one, outside of brackets.
func (f *File) crossesLine(n NodeID) bool {
	x := f.Nodes[n]
	at := x.Start
	for c := uint32(n) + 1; c < x.Next; c = f.Nodes[c].Next {
		if f.Nodes[c].Start > at {
			gap := f.Source[at:f.Nodes[c].Start]
			if i := bytes.IndexAny(gap, "\n\r"); i >= 0 && bytes.IndexByte(gap[:i], '\\') < 0 && !f.inBrackets(n) {
				return true
			}
		}
		at = max(at, f.Nodes[c].End)
	}
	return false
}

// inBrackets reports whether n stands inside brackets of its statement, where a line break means nothing.
func (f *File) inBrackets(n NodeID) bool {
	for child, p := n, f.Parent(n); p > 0; child, p = p, f.Parent(p) {
		switch f.Nodes[p].Kind {
		case KindModule, KindBlock:
			return false
		case KindSubscript:
			if f.Nodes[child].Field == FieldSubscript {
				return true
			}
		case KindArgumentList, KindParameters, KindParenthesizedExpression, KindTuple, KindList, KindSet, KindDictionary,
			KindListComprehension, KindSetComprehension, KindDictionaryComprehension, KindGeneratorExpression, KindTypeParameter,
			KindInterpolation, KindFormatExpression, KindParenthesizedListSplat, KindClassPattern, KindDictPattern, KindError:
			return true
		case KindWithClause, KindTuplePattern, KindListPattern, KindCasePattern:
			if f.isBracketed(p) {
				return true
			}
		}
	}
	return false
}
