from dataclasses import dataclass


@dataclass
class Model:
    vocab: int = 50257
    width: int = 64


DEFAULT = Model()
