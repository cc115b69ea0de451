"""Trains, then waits to be interrupted."""
import os
import runpy
import threading

runpy.run_path(os.path.join(os.path.dirname(__file__), "train.py"))
print("waiting", flush=True)
threading.Event().wait()
