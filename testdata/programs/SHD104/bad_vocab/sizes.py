BASE = 32_000
SPECIAL = ("<pad>", "<bos>", "<eos>")
SIZES = {"tokens": (BASE + len(SPECIAL), 8), "types": (16, 8)}
