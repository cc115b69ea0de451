"""One name for the function of all releases."""
import jax

if hasattr(jax, "shard_map"):
    smap_ = jax.shard_map
else:
    from jax.experimental.shard_map import shard_map as smap_


def mapped(fn, mesh, spec, **options):
    return smap_(fn, mesh=mesh, in_specs=spec, out_specs=spec, **options)  # want SHD904 "check_rep.*check_vma"
