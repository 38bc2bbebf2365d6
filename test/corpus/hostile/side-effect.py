import os
import sys

open(os.environ["SKEIN_CORPUS_MARKER"], "w").write("python ran")
sys.exit(7)

__version__ = "1.0.0"
__category__ = "x"
CONFIG_SCHEMA = {"type": "object"}
