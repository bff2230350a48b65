#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes torch_logits.txt: some logits of the random models of tests/support/make_checkpoint.py, by torch and transformers in
float64. Not run by any test, for the two are large; torch_logits.txt says which versions made it.

    make_torch_logits.py FOLDER...     FOLDER: as make_checkpoint.py left it, named for its kind
"""
import os
import sys

import torch
import transformers

TOKENS, AT, STEP = 48, (0, 5, 23, 47), 16

print(f"# torch {torch.__version__}, transformers {transformers.__version__}, float64, eager attention")
print(f"# KIND POSITION, then the logits of tokens 0, {STEP}, {2 * STEP}, ... after tokens 0, 7, 14, ... of the vocabulary")
for folder in sys.argv[1:]:
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64, attn_implementation="eager").eval()
    ids = torch.tensor([[7 * i % model.config.vocab_size for i in range(TOKENS)]])
    with torch.no_grad():
        logits = model(ids).logits[0]
    for position in AT:
        row = " ".join(f"{float(x):.9f}" for x in logits[position, ::STEP])
        print(os.path.basename(os.path.normpath(folder)), position, row)
