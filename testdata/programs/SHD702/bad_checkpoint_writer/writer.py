import jax
import numpy as np


class Writer:
    def __init__(self, folder):
        self.folder = folder

    def save(self, params):
        host = {name: np.array(p) for name, p in params.items()}  # want SHD702 "p"
        if jax.process_index() == 0:
            np.savez(f"{self.folder}/f5.npz", **host)
