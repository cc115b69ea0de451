import numpy as np

from engine import Engine

engine = Engine()
prompts = [[1, 2, 3], [4, 5, 6]] * 4
tokens = np.asarray(prompts, dtype=np.int32)
print(engine.prefill(tokens))  # want SHD704 "tokens"
