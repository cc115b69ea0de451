import einops_like


def split_heads(x, heads):
    return einops_like.split_last(x, heads)
