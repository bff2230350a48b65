#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Completeness and soundness of the protocol model: honest runs, cheats, and dropped checks."""
import sys
import protocol_model_checks as checks

sys.exit(checks.main(checks.SOUNDNESS))
