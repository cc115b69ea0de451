import jax

NO_CHECK = dict(check_vma=False)


def shmap(**specs):
    def wrap(f):
        return jax.shard_map(f, **specs, **NO_CHECK)  # want SHD206 "check_vma"

    return wrap
