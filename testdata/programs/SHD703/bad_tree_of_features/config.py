from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    global_batch_size: int = 64
    seq_len: int = 16
