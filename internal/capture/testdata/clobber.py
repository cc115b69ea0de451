"""Sets everything that a capture needs otherwise, then trains."""
import os
import runpy

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
os.environ["JAX_PLATFORMS"] = "tpu"
import jax  # noqa: E402

jax.distributed.initialize("localhost:1", 2, 0)
runpy.run_path(os.path.join(os.path.dirname(__file__), "train.py"))
