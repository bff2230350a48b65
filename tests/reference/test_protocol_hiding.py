#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Hiding of the protocol model: rank of the opening, pads, marginals."""
import sys
import protocol_model_checks as checks

sys.exit(checks.main(checks.HIDING))
