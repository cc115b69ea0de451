package flow

// generatorClass is the class of NumPy's random generators, of default_rng and RandomState.
const generatorClass = "numpy.random.Generator"

// sizePosition is where samplers of NumPy take the size of what they draw; the parameters of the distribution come first.
var sizePosition = map[string]int{
	"random": 0, "random_sample": 0, "ranf": 0, "standard_normal": 0, "standard_exponential": 0, "standard_cauchy": 0,
	"exponential": 1, "poisson": 1, "rayleigh": 1, "chisquare": 1, "geometric": 1, "choice": 1, "pareto": 1, "power": 1, "weibull": 1,
	"normal": 2, "uniform": 2, "integers": 2, "randint": 2, "binomial": 2, "gamma": 2, "beta": 2, "gumbel": 2, "laplace": 2, "logistic": 2, "lognormal": 2,
}

// numpyRandom evaluates functions of numpy.random, and makes its generators.
func (in *interp) numpyRandom(name string, c *Call) Value {
	switch name {
	case "default_rng", "RandomState", "Generator":
		return &Object{Class: generatorClass, Made: c.ev}
	case "rand", "randn":
		if len(c.Pos) == 0 || c.Splat {
			return Unknown{}
		}
		dims := make([]int64, len(c.Pos))
		for i, p := range c.Pos {
			n, ok := Integer(p.Value)
			if dims[i] = n; !ok || n < 0 {
				dims[i] = -1
			}
		}
		return in.drawn(dims, true, c)
	}
	if v, ok := in.numpySample(name, c); ok {
		return v
	}
	return in.generic("numpy.random."+name, c)
}

// numpySample evaluates a sampler of NumPy that was given a size; ok is false for other functions. One without a size draws a number.
func (in *interp) numpySample(name string, c *Call) (v Value, ok bool) {
	pos, sampler := sizePosition[name]
	if !sampler || c.Splat {
		return nil, false
	}
	size := c.value(pos, "size")
	if size == nil || IsNone(size) {
		return Unknown{}, true
	}
	dims, known := sizesOf(size)
	if n, single := Integer(size); single {
		dims, known = []int64{n}, true
	}
	out := in.drawn(dims, known, c)
	if a := c.value(0, "a"); name == "choice" { // of what it is given: only a number stands for integers
		if _, isInt := Integer(orUnknown(a)); !isInt {
			return Unknown{}, true
		}
	}
	if name == "integers" || name == "randint" || name == "choice" || name == "poisson" || name == "binomial" || name == "geometric" {
		out.DType = "int32"
	}
	if d := c.value(-1, "dtype"); d != nil && !IsNone(d) {
		out.DType = dtypeFrom(d)
	}
	return out, true
}

// drawn is a host array of numbers that the program does not determine: each process may draw others.
func (in *interp) drawn(dims []int64, known bool, c *Call) *Array {
	out := in.fresh(true, c)
	out.Dims, out.RankKnown, out.HostData, out.DType = dims, known, true, "float32"
	return out
}
