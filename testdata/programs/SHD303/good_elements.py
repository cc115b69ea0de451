"""Elements of lists and dictionaries, each read before its turn or replaced in between."""
import jax
import jax.numpy as jnp

double = jax.jit(lambda x: x * 2, donate_argnums=0)
xs = [jnp.ones((4, 4)) * i for i in range(3)]
for i in range(3):
    y = double(xs[i])
print(y.sum())

state = {"a": jnp.ones(4), "b": jnp.zeros(4)}


def replace(state, new):
    state["a"] = new


new = double(state["a"])
replace(state, new)
print(state["a"].sum())
new = double(state["a"])
state.update(a=new)
print(state["a"].sum())
new = double(state["a"])
for key in state:
    state[key] = new
print(state["a"].sum())
other = double(state["b"])
state = {"b": other}
print(state["b"].sum())
for state in ({"b": jnp.ones(2)}, {"b": jnp.ones(2)}):
    print(double(state["b"]).sum())

p = jnp.ones((4, 4))
q = double(p)
for _ in range(2):
    p = jnp.zeros((4, 4))
    print(p.sum(), q.sum())
