BATCH, MODEL = "data", "modell"
