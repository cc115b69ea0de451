DATA, MODEL = "data", "model"
LOGICAL_RULES = [("embed", DATA), ("heads", MODEL), ("kv", None)]
