def split_last(x, parts):
    *lead, width = x.shape
    return x.reshape(*lead, parts, width // parts)
