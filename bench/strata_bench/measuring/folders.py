"""Folders of this source tree."""

import os

BENCH = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
ROOT = os.path.dirname(BENCH)
