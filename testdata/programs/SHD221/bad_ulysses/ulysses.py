from jax import lax

HEADS, SEQ = -2, 1


def swap(x, split, concat, axis="sp"):
    return lax.all_to_all(x, axis, split_axis=split, concat_axis=concat, tiled=True)  # want SHD221 "axis.*-2|-2.*axis"


def sequence_to_heads(x):
    return swap(x, HEADS, SEQ)


def heads_to_sequence(x):
    return swap(x, SEQ, HEADS)
