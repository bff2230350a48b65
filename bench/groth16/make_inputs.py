#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The inputs of the circuits of this folder, as JSON for the witness calculator: make_inputs.py CIRCUIT > input.json"""
import json
import sys

INPUTS = {
    "merkle20": {
        "leafSecret": "123456789",
        "nullifierKey": "42",
        "sib": [str((i + 1) ** 5 * 1000003) for i in range(20)],
        "idx": [str(int(i % 3 == 0)) for i in range(20)],
    },
    "poseidon_chain500": {"a": "5", "b": "7"},
    "sha256_64B": {"in": [str((37 * i + 11) & 255) for i in range(64)]},
    "sha256_chain16": {"in": ["123456789012345678901234567890", "98765432109876543210"]},
}

if len(sys.argv) != 2 or sys.argv[1] not in INPUTS:
    sys.exit("usage: make_inputs.py " + "|".join(INPUTS))
json.dump(INPUTS[sys.argv[1]], sys.stdout)
