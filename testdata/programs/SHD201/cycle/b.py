import a


def run(x):
    return a.reduce(x)
