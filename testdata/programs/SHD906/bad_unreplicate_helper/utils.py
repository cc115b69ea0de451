import jax


def unreplicate(tree):
    return jax.tree_util.tree_map(lambda leaf: leaf[0], tree)  # want SHD906 "leaf\[0\]"
