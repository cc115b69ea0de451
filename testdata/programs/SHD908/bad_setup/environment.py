import os

os.environ.setdefault("JAX_USE_SHARDY_PARTITIONER", "false")  # want SHD908 "JAX_USE_SHARDY_PARTITIONER"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
