"""Trains, then fails."""
import os
import runpy

runpy.run_path(os.path.join(os.path.dirname(__file__), "train.py"))
raise SystemExit(7)
