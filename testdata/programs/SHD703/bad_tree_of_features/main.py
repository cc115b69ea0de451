import jax
import numpy as np

from config import Config
from pipeline import to_global

cfg = Config()
batch = {
    "tokens": np.zeros((cfg.global_batch_size, cfg.seq_len), np.int32),
    "mask": np.ones((cfg.global_batch_size, cfg.seq_len), bool),
}
print(jax.tree.map(lambda x: x.shape, to_global(batch)))
