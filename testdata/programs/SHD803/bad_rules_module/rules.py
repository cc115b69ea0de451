def make_rules(tensor_axis="model"):
    return [("vocab", tensor_axis), ("embed", None), ("vocab", "data")]  # want SHD803 "vocab"
