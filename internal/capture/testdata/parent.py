"""Trains in a child process and in this one."""
import os
import runpy
import subprocess
import sys

train = os.path.join(os.path.dirname(__file__), "train.py")
subprocess.run([sys.executable, train], check=True)
runpy.run_path(train)
