import jax


def replicate(tree, devices=None):
    put = jax.device_put_replicated  # want SHD901 "device_put_replicated.*0\.10\.0"
    return put(tree, devices or jax.local_devices())
