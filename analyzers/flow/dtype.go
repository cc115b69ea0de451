package flow

// DType is a dtype object such as jnp.bfloat16.
type DType struct{ Name string }

// dtypeInfo is what promotion needs: a category (0 bool, 1 unsigned, 2 signed, 3 float, 4 complex) and bits.
type dtypeInfo struct {
	category, bits int
}

func dtypeOf(name string) (dtypeInfo, bool) {
	switch name {
	case "bool":
		return dtypeInfo{0, 8}, true
	case "uint4", "uint2":
		return dtypeInfo{1, 4}, true
	case "uint8":
		return dtypeInfo{1, 8}, true
	case "uint16":
		return dtypeInfo{1, 16}, true
	case "uint32":
		return dtypeInfo{1, 32}, true
	case "uint64":
		return dtypeInfo{1, 64}, true
	case "int4", "int2":
		return dtypeInfo{2, 4}, true
	case "int8":
		return dtypeInfo{2, 8}, true
	case "int16":
		return dtypeInfo{2, 16}, true
	case "int32":
		return dtypeInfo{2, 32}, true
	case "int64":
		return dtypeInfo{2, 64}, true
	case "float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e4m3", "float8_e3m4", "float8_e8m0fnu":
		return dtypeInfo{3, 8}, true
	case "float16", "bfloat16":
		return dtypeInfo{3, 16}, true
	case "float32":
		return dtypeInfo{3, 32}, true
	case "float64":
		return dtypeInfo{3, 64}, true
	case "complex64":
		return dtypeInfo{4, 64}, true
	case "complex128":
		return dtypeInfo{4, 128}, true
	}
	return dtypeInfo{}, false
}

// DTypeBytes returns the bytes of one element, 0 when the dtype is unknown or smaller than a byte.
func DTypeBytes(name string) int64 {
	info, ok := dtypeOf(name)
	if !ok {
		return 0
	}
	return int64(info.bits / 8)
}

// canonicalDType is what JAX makes of a dtype with 64-bit types disabled, its default.
func canonicalDType(name string) string {
	switch name {
	case "float64", "float", "float_", "double":
		return "float32"
	case "int64", "int", "int_":
		return "int32"
	case "uint64", "uint":
		return "uint32"
	case "complex128", "complex", "complex_":
		return "complex64"
	case "bool_":
		return "bool"
	case "half":
		return "float16"
	case "single":
		return "float32"
	}
	return name
}

// promote follows JAX's type promotion lattice: weak types give way to strong ones of the same or a higher category.
func promote(a, b *Array) (dtype string, weak bool) {
	if a.DType == "" || b.DType == "" {
		if a.DType != "" && b.Weak && categoryOf(b.DType) >= 0 {
			return a.DType, a.Weak
		}
		return "", false
	}
	if a.DType == b.DType {
		return a.DType, a.Weak && b.Weak
	}
	ia, _ := dtypeOf(a.DType)
	ib, _ := dtypeOf(b.DType)
	switch {
	case a.Weak != b.Weak && a.Weak && ia.category <= ib.category:
		return b.DType, false
	case a.Weak != b.Weak && b.Weak && ib.category <= ia.category:
		return a.DType, false
	case ia.category == ib.category && ia.bits == ib.bits: // float16 with bfloat16
		return "float32", false
	case ia.category == ib.category && ia.bits > ib.bits, ia.category > ib.category:
		return a.DType, a.Weak
	}
	return b.DType, b.Weak
}

func categoryOf(name string) int {
	info, ok := dtypeOf(name)
	if !ok {
		return -1
	}
	return info.category
}

// dtypeFrom reads a dtype argument: a dtype object, a string or a Python type.
func dtypeFrom(v Value) string {
	switch v := v.(type) {
	case *DType:
		return v.Name
	case *Str:
		if _, ok := dtypeOf(v.S); ok {
			return canonicalDType(v.S)
		}
	case *Ext:
		switch v.Name {
		case "builtins.float":
			return "float32"
		case "builtins.int":
			return "int32"
		case "builtins.bool":
			return "bool"
		}
	}
	return ""
}
