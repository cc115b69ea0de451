RULES = [
    ("embed", None),
    ("mlp", "model"),
]
