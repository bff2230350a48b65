#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""primes_gen.h and curves_gen.h are what their script writes."""
import os
import subprocess
import sys

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.exit(subprocess.call([sys.executable, os.path.join(root, "scripts", "make_prime_constants.py"), "--check"]))
