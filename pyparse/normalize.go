package pyparse

// normalize repairs shapes that the grammar gets wrong without noticing. It reports whether a node got another parent.
func (f *File) normalize() bool {
	moved := false
	for i := 1; i < len(f.Nodes); i++ {
		switch f.Nodes[i].Kind {
		case KindListSplat, KindListSplatPattern, KindDictionarySplat, KindDictionarySplatPattern:
			moved = f.liftSplat(i) || moved
		case KindMemberType: // the grammar's word for a.b behind a subscript in an annotation
			object, name := f.pair(i)
			if object != name {
				f.Nodes[i].Kind = KindAttribute
				f.Nodes[object].Field, f.Nodes[name].Field = FieldObject, FieldAttribute
			}
		}
	}
	return moved
}

// liftSplat gives a star the whole expression behind it: in some places the grammar reads *a.b(c) as (*a).b(c). The nodes from
// the outermost that starts at the star down to the splat itself are consecutive; the splat moves to their front.
func (f *File) liftSplat(splat int) bool {
	if f.Nodes[splat].Next == uint32(splat)+1 {
		return false
	}
	top := splat
	for top > 1 && f.Nodes[top-1].Start == f.Nodes[splat].Start && f.Nodes[top-1].Next >= f.Nodes[top].Next {
		switch f.Nodes[top-1].Kind {
		case KindAttribute, KindCall, KindSubscript, KindBinaryOperator, KindBooleanOperator, KindComparisonOperator,
			KindConditionalExpression:
			top--
			continue
		}
		break
	}
	if top == splat {
		return false
	}
	nodes := f.Nodes[top : splat+1]
	star, field := nodes[len(nodes)-1], nodes[0].Field
	copy(nodes[1:], nodes[:len(nodes)-1])
	operand := uint32(splat + 1)
	inner := star.Field
	star.Field, star.End, star.Next = field, nodes[1].End, nodes[1].Next
	star.Flags |= nodes[1].Flags & HasError
	nodes[0] = star
	nodes[1].Field = FieldNone
	for i := 1; i < len(nodes); i++ {
		nodes[i].Start = f.Nodes[operand].Start
	}
	f.Nodes[operand].Field = inner
	return true
}

// pair returns the indices of the first two children of the node at index i, or i itself for what is not there.
func (f *File) pair(i int) (first, second int) {
	first, second = i, i
	if f.Nodes[i].Next > uint32(i)+1 {
		first = i + 1
		if next := int(f.Nodes[first].Next); uint32(next) < f.Nodes[i].Next {
			second = next
		}
	}
	return first, second
}
