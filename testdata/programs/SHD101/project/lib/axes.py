BATCH = "data"
HIDDEN = "hidden"
MODEL = "model"
