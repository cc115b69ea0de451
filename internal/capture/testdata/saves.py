"""Saves at the first signal and gives up at the second."""
import os
import signal
import sys
import threading


def give_up(*_):
    os._exit(3)


def save(*_):
    signal.signal(signal.SIGTERM, give_up)
    print("saving", file=sys.stderr, flush=True)


signal.signal(signal.SIGTERM, save)
print("waiting", flush=True)
while True:
    threading.Event().wait(0.1)
