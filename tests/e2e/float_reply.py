#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Greedy decoding with the float32 reference, as a provider's engine would: prints the reply's token ids, separated by
commas, and the token after it on a second line.

    float_reply.py MODEL_DIR PROMPT N
"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reference"))
from model_reference import Checkpoint, float_forward, tokens_of  # noqa: E402


def main():
    ck, prompt, n = Checkpoint(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    ids = [ck.bos] + tokens_of(ck, prompt)
    reply = []
    while len(reply) <= n:
        reply.append(int(float_forward(ck, np.array(ids + reply))[-1].argmax()))
    print(",".join(map(str, reply[:n])))
    print(reply[n])


if __name__ == "__main__":
    main()
