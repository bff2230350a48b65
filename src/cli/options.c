/* SPDX-License-Identifier: Apache-2.0 */
/* The table of programs and options. */
#include "cli/options.h"
#include <string.h>

const assay_opt assay_options[OPT_COUNT] = {
    [OPT_MODEL] = {"model", 0, false, "MODEL",
                   "Hugging Face folder (config.json, model.safetensors, tokenizer.json), or GGUF file"},
    [OPT_OUT] = {"out", 'o', false, "DIR", "the commitment's folder, which must not exist or be empty"},
    [OPT_COMMITMENT] = {"commitment", 'c', false, "DIR", "the commitment's folder"},
    [OPT_CONFIG] = {"config", 0, false, "CONFIG_DIR", "the commitment's public folder config/"},
    [OPT_IVK] = {"ivk", 0, false, "IVK_DIR", "the commitment's public folder ivk/"},
    [OPT_PROMPT] = {"prompt", 'p', false, "TEXT", "the prompt"},
    [OPT_PROMPT_FILE] = {"prompt-file", 0, false, "FILE", "the prompt, from a file (instead of --prompt)"},
    [OPT_SYSTEM] = {"system", 0, false, "TEXT", "the system text of a chat, before --user"},
    [OPT_USER] = {"user", 0, false, "TEXT",
                  "the user's message of a chat (instead of --prompt), put as the model's chat template says"},
    [OPT_ASSISTANT] = {"assistant", 0, false, "TEXT",
                       "the model's answer to the --user before it, in a chat of several turns"},
    [OPT_REPLY] = {"reply", 0, false, "TEXT", "the reply as text; its tokens are those of the tokenizer"},
    [OPT_REPLY_TOKENS] = {"reply-tokens", 0, false, "LIST", "the reply as token ids, separated by commas"},
    [OPT_Y_TOKEN] = {"y", 0, false, "TOKEN", "id of the token after the reply"},
    [OPT_N] = {"max-tokens", 'n', false, "N", "most tokens of a reply; 16 where it may be left out"},
    [OPT_REQ] = {"req", 0, false, "F.req", "the request file"},
    [OPT_Y] = {"y", 0, false, "F.y", "the file of the token after the reply"},
    [OPT_Y_OUT] = {"y-out", 0, false, "F.y", "where the token after the reply goes"},
    [OPT_PROOF] = {"proof", 0, false, "F.proof", "the proof file"},
    [OPT_PROOF_OUT] = {"out", 'o', false, "F.proof", "where the proof goes"},
    [OPT_ID] = {"id", 0, true, "HEX", "the commitment ID you expect: 64 hexadecimal digits"},
    [OPT_SHOWN] = {"shown", 0, false, "TEXT", "the text that was shown as the reply"},
    [OPT_CONTEXT] = {"context", 0, false, "TEXT", "at most 64 bytes that the proof is bound to (an order number)"},
    [OPT_SECURITY] = {"security", 0, false, "128|100", "bits of soundness of every proof (128)"},
    [OPT_MIN_SECURITY] = {"security", 0, false, "128|100", "accept only commitments of at least this setting (128)"},
    [OPT_LIFETIME] = {"lifetime", 0, false, "N", "proofs that may be made with this commitment, at least (1000)"},
    [OPT_CALIBRATE] = {"calibrate", 0, false, "TEXTFILE",
                       "text that the widths are planned on (calibration.txt of the model, or a built-in text)"},
    [OPT_TEXT] = {"text", 0, false, "FILE", "the text, whose documents are separated by empty lines"},
    [OPT_IDS] = {"ids", 0, false, NULL, "the text is token ids in decimal, one document a line, taken as they are"},
    [OPT_STREAM] = {"stream", 0, false, NULL, "the text is one document, cut wherever a window is full"},
    [OPT_START] =
        {"start", 0, false, "bos|chat|none",
         "what a document begins with: the model's first token, the first token of its chats, or nothing (as a "
         "request does: bos, or chat where the model has no first token)"},
    [OPT_WINDOW] = {"window", 0, false, "N", "tokens of a window (256, or the model's context)"},
    [OPT_LIMIT] = {"tokens", 0, false, "N", "most tokens to run (20480)"},
    [OPT_MARGIN] = {"margin", 0, false, "X", "float margin above which a choice is decisive (0.02)"},
    [OPT_ONLY] = {"only", 0, false, "float|integer", "run one of the two models"},
    [OPT_FORCE] = {"force", 'f', false, NULL, "replace a commitment that is there already"},
    [OPT_SKIP] = {"skip", 0, false, "N", "write N proofs off first: a margin after a restore from backup"},
    [OPT_SHARE] = {"share", 0, false, "I/K", "this is replica I of K that hold copies of the commitment"},
    [OPT_WAIT] = {"wait", 'w', false, NULL, "wait for another prover on the same commitment"},
    [OPT_SELF_CHECK] = {"check", 0, false, NULL, "verify the proof before it is written"},
    [OPT_PLAN] = {"plan", 0, false, NULL, "print what the proofs would take, and make none; --out may be left out"},
    [OPT_MEMORY] = {"memory", 0, false, "SIZE",
                    "most memory that may be taken, such as 512M or 8G (what the machine has)"},
    [OPT_POLICY] = {"policy", 0, true, "FILE", "policy file: how near the model's choice a reply must be (exact)"},
    [OPT_KEEP] = {"keep", 0, false, "PREFIX", "write PREFIX.req, PREFIX.y and PREFIX.proof"},
    [OPT_KEY_OUT] = {"out", 'o', false, "KEY.zkey", "where the key goes"},
    [OPT_R1CS] = {"r1cs", 0, false, "CIRCUIT.r1cs", "check the witness against the circuit first"},
    [OPT_SYM] = {"sym", 0, false, "CIRCUIT.sym", "names of signals, for messages about a constraint"},
    [OPT_DEVELOPMENT] = {"development", 0, false, NULL,
                         "accept a key with gamma = delta, under which anybody can forge proofs"},
    [OPT_BELLPERSON] = {"bellperson", 0, false, NULL,
                        "the files are of bellperson: a .vk, public values (32 bytes, lowest first), a proof (192)"},
    [OPT_THREADS] = {"threads", 't', false, "N", "threads to use (one per processor)"},
    [OPT_ADDR] = {"addr", 'a', false, "ADDRESS",
                  "the daemon: unix:///PATH or HOST:PORT (unix:///run/assay/assayd.sock)"},
    [OPT_TLS_CA] = {"tls-ca", 0, false, "FILE", "talk TLS; PEM file of the authorities that may vouch for the daemon"},
    [OPT_TLS_CERT] = {"tls-cert", 0, false, "FILE", "PEM file of the certificate to show"},
    [OPT_TLS_KEY] = {"tls-key", 0, false, "FILE", "PEM file of its private key"},
    [OPT_TOKEN_FILE] = {"token-file", 0, false, "FILE", "file whose first line is the daemon's bearer token"},
    [OPT_CIRCUIT] = {"circuit", 0, false, "NAME", "a registered circuit; with --witness"},
    [OPT_WITNESS] = {"witness", 0, false, "FILE.wtns", "its witness; one for each partition of a job"},
    [OPT_COMMITTED] = {"committed", 0, false, "NAME", "a committed model; with --req and --y"},
    [OPT_TYPE] = {"type", 0, false, "porep|snap|wpost|winning", "a proof of Filecoin; with --c1 or --vanilla"},
    [OPT_C1] = {"c1", 0, false, "FILE", "output of phase 1, for porep"},
    [OPT_VANILLA] = {"vanilla", 0, false, "FILE", "JSON array of base64 texts, for snap, wpost and winning"},
    [OPT_REGISTERED_PROOF] = {"registered-proof", 0, false, "N", "number of the registered proof (0)"},
    [OPT_SECTOR] = {"sector-num", 0, false, "N", "the sector (1)"},
    [OPT_MINER] = {"miner-id", 0, false, "N", "the miner (1000)"},
    [OPT_PARTITION] = {"partition", 0, false, "N", "which partition of a window PoSt (0)"},
    [OPT_RANDOMNESS] = {"randomness", 0, false, "HEX", "64 hexadecimal digits (zeros)"},
    [OPT_COMM_R_OLD] = {"comm-r-old", 0, false, "HEX", "64 hexadecimal digits, for snap (zeros)"},
    [OPT_COMM_R_NEW] = {"comm-r-new", 0, false, "HEX", "64 hexadecimal digits, for snap (zeros)"},
    [OPT_COMM_D_NEW] = {"comm-d-new", 0, false, "HEX", "64 hexadecimal digits, for snap (zeros)"},
    [OPT_PRIORITY] = {"priority", 0, false, "low|normal|high|critical", "before and after which other jobs (by kind)"},
    [OPT_TIMEOUT] = {"timeout", 0, false, "SECONDS", "the deadline of each job (none)"},
    [OPT_PROOF_FILE] = {"out", 'o', false, "FILE", "where the proof of the first partition goes (nowhere)"},
    [OPT_PUBLIC_FILE] = {"public-out", 0, false, "FILE", "where its public values go (nowhere)"},
    [OPT_JOBS] = {"count", 'c', false, "N", "how many jobs; 3 for batch, 5 a setting for sweep"},
    [OPT_CONCURRENCY] = {"concurrency", 'j', false, "N", "jobs at once; 1 for batch, twice the workers for sweep"},
    [OPT_CSV] = {"csv", 0, false, "FILE", "where the measurements go as CSV"},
    [OPT_SVG] = {"svg", 0, false, "FILE", "where a picture of them goes"},
    [OPT_BESIDE] = {"force", 0, false, NULL, "measure although another assayd runs"},
    [OPT_CONFIG_FILE] = {"config", 'c', false, "FILE", "the configuration (/etc/assay/assayd.toml, if it is there)"},
    [OPT_LISTEN] = {"listen", 'l', false, "ADDRESS[,ADDRESS]", "where gRPC is served: HOST:PORT or unix:///PATH"},
    [OPT_STATUS_LISTEN] = {"status-listen", 0, false, "ADDRESS", "where the status page and /metrics are served"},
    [OPT_QUEUE] = {"queue", 0, false, "PATH|URL", "the queue's database: a file, or postgresql://..."},
    [OPT_CIRCUITS] = {"circuits", 0, false, "DIR", "folder of registered circuits"},
    [OPT_MODELS] = {"models", 0, false, "DIR", "folder of committed models"},
    [OPT_BUDGET] = {"memory", 0, false, "SIZE|auto", "the memory budget, such as 24GiB"},
    [OPT_PARTITION_WORKERS] = {"partition-workers", 0, false, "N",
                               "partitions that are synthesised at once; for sweep a list"},
    [OPT_GPU_WORKERS] = {"gpu-workers", 0, false, "N",
                         "provers a GPU, processor workers where there is none; for sweep a list"},
    [OPT_GPU_THREADS] = {"gpu-threads", 0, false, "N", "processor threads of the GPU workers"},
    [OPT_NO_PIPELINE] = {"no-pipeline", 0, false, NULL, "one partition after the other, without overlap"},
    [OPT_PRELOAD] = {"preload", 0, false, "ID[,ID]", "keys to load at start"},
    [OPT_LOG_LEVEL] = {"log-level", 0, false, "error|warn|info|debug", "what is logged (info)"},
    [OPT_CHECK_CONFIG] = {"check-config", 0, false, NULL, "say whether the configuration is in order, and end"},
    [OPT_PRINT_CONFIG] = {"print-config", 0, false, NULL, "print the configuration as it would be used, and end"},
    [OPT_VERBOSE] = {"verbose", 'v', false, NULL, "print the table of soundness"},
    [OPT_JSON] = {"json", 0, false, NULL, "print one JSON object on the last line instead of text"},
    [OPT_QUIET] = {"quiet", 'q', false, NULL, "no progress and no remarks"},
    [OPT_HELP] = {"help", 'h', false, NULL, "print this"},
    [OPT_VERSION] = {"version", 0, false, NULL, "print the version"},
    [OPT_MAN] = {"man", 0, false, NULL, NULL},
    [OPT_MARKDOWN] = {"markdown", 0, false, NULL, NULL},
    [OPT_COMPLETION] = {"completion", 0, false, NULL, NULL},
};

/* Lists of options, for the table. */
#define OPTS(...) ((const uint8_t[]){__VA_ARGS__, OPT_COUNT})
#define NONE      ((const uint8_t[]){OPT_COUNT})
#define COMMON    OPT_JSON, OPT_QUIET, OPT_HELP, OPT_VERSION, OPT_MAN, OPT_MARKDOWN, OPT_COMPLETION
#define WORK      OPT_THREADS, COMMON
#define CHAT      OPT_SYSTEM, OPT_USER, OPT_ASSISTANT
#define PROMPT    OPT_PROMPT, OPT_PROMPT_FILE, CHAT, OPT_CONTEXT
#define PROVER    OPT_THREADS, OPT_WAIT, OPT_SHARE, OPT_SKIP

#define DAEMON OPT_ADDR, OPT_TLS_CA, OPT_TLS_CERT, OPT_TLS_KEY, OPT_TOKEN_FILE
#define FILECOIN                                                                                                       \
    OPT_TYPE, OPT_C1, OPT_VANILLA, OPT_REGISTERED_PROOF, OPT_SECTOR, OPT_MINER, OPT_PARTITION, OPT_RANDOMNESS,         \
        OPT_COMM_R_OLD, OPT_COMM_R_NEW, OPT_COMM_D_NEW
#define JOB OPT_CIRCUIT, OPT_WITNESS, OPT_COMMITTED, OPT_REQ, OPT_Y, FILECOIN, OPT_PRIORITY, OPT_TIMEOUT

const assay_program assay_programs_with_commands[] = {
    {"assay", "proves which model answered", "assay ask /tmp/c 'The ' -n 16"},
    {"assay-bench", "drives and measures a proving daemon",
     "assay-bench batch --circuit multiplier --witness w.wtns -c 20 -j 4"},
    {NULL, NULL, NULL},
};

const assay_program *assay_program_find(const char *name)
{
    const assay_program *p = assay_programs_with_commands;
    while (p->name && strcmp(p->name, name) != 0) p++;
    return p->name ? p : NULL;
}

const assay_command assay_commands[] = {
    {"cp_commit", NULL, "", OPTS(OPT_MODEL, OPT_OUT),
     OPTS(OPT_SECURITY, OPT_LIFETIME, OPT_CALIBRATE, OPT_FORCE, OPT_THREADS, COMMON), "commit to a model's weights",
     "Quantises a model, commits to its integers, and writes a folder: config/ and ivk/ are public, ID.txt holds the "
     "commitment's ID, isk/ and model/ are secret (mode 0700). The ID stands for the function that the integers "
     "define; publish it where clients would look for the model's name. Prints how large the accumulators could "
     "become (a remark for the owner, not to be published); the last line is `commitment ID: ` and 64 hexadecimal "
     "digits.\n"
     "Every commitment has fresh secrets, so two of one model have different IDs. Each proof uses some of the "
     "commitment's lifetime; cp_prove refuses when it is over.",
     "cp_commit --model examples/tiny --out /tmp/c"},
    {"cp_prove", NULL, "", OPTS(OPT_COMMITMENT, OPT_REQ, OPT_Y, OPT_PROOF_OUT),
     OPTS(OPT_SELF_CHECK, OPT_POLICY, OPT_PLAN, OPT_MEMORY, PROVER, COMMON),
     "prove that a reply is the committed model's",
     "Reads a request and the token after it, runs the committed model, and writes a proof that the reply is the "
     "model's greedy continuation, or with --policy that it is near enough: what is shown then, and so public, is how "
     "near, rounded up to sixteenths of a nat. A reply beyond the policy is refused before a proof is spent.\n"
     "One prover at a time works on a commitment: a second one is refused, or waits with "
     "--wait. The count of proofs made is written and synced before the proof is.\n"
     "--req, --y and --out may be given several times, for one proof each: the first ones together, then the second. "
     "These proofs share the longest pass over the weights. All files are read and all outputs tried before work "
     "starts. A reply that is not the model's gets no proof, and the others do; the exit code is then 1.\n"
     "What a proof takes follows from public numbers: --plan prints it. A proof that would take more than --memory is "
     "refused before work starts; several that fit one by one but not together are made in smaller groups.\n"
     "After the commitment's folder was restored from a backup, give --skip once with more proofs than were made since "
     "the backup. Replicas with copies of one folder each take a share of the lifetime with --share.",
     "cp_prove --commitment /tmp/c --req F.req --y F.y --out F.proof --req G.req --y G.y --out G.proof"},
    {"cp_verify", NULL, "CONFIG_DIR IVK_DIR F.req F.y F.proof", OPTS(OPT_ID),
     OPTS(OPT_VERBOSE, OPT_MIN_SECURITY, OPT_POLICY, COMMON), "check a proof",
     "Says YES when the proof shows that the model committed to under the ID gives, after the prompt in F.req, the "
     "reply "
     "in F.req and then the token in F.y; otherwise `NO: ` and the reason. Needs no weights and no secret.\n"
     "The ID is computed again from CONFIG_DIR and IVK_DIR and must be the one given. With a gap policy "
     "(docs/formats.md) tokens may lie below the largest logit as far as it says, and the last line is `WITHIN LIMITS: "
     "` and the limits with their use; nothing of the policy is taken from the proof. With -v, prints the bits of "
     "soundness of every round of this proof first.",
     "cp_verify /tmp/c/config /tmp/c/ivk F.req F.y F.proof -id $(cat /tmp/c/ID.txt) -v"},
    {"assay", "reply", "", OPTS(OPT_COMMITMENT, OPT_REQ, OPT_Y), OPTS(PROMPT, OPT_N, OPT_THREADS, COMMON),
     "answer a prompt with the committed model",
     "Runs the committed integer model greedily and prints the reply. F.req gets the token ids of prompt and reply, "
     "F.y "
     "the token after them. The reply ends after a stop token or at -n tokens.",
     "assay reply --commitment /tmp/c --prompt 'The ' -n 24 --req F.req --y F.y"},
    {"assay", "request", "", OPTS(OPT_CONFIG, OPT_Y_TOKEN, OPT_REQ, OPT_Y_OUT),
     OPTS(PROMPT, OPT_REPLY, OPT_REPLY_TOKENS, COMMON), "rebuild the request files from what was sent and received",
     "What a client uses to make F.req and F.y itself: from the prompt that it sent, and the reply that it received as "
     "text or as token ids. A text can be cut in tokens in several ways; token ids are the surer way.",
     "assay request --config /tmp/c/config --prompt 'The ' --reply-tokens 99,97,116 --y 32 --req F.req --y-out F.y"},
    {"assay", "ask", "DIR [PROMPT]", NONE,
     OPTS(CHAT, OPT_N, OPT_CONTEXT, OPT_KEEP, OPT_POLICY, OPT_VERBOSE, PROVER, COMMON),
     "reply, prove and verify in one",
     "The short way to see everything: runs the commitment in DIR on the prompt (or on the chat of --system and "
     "--user), proves the reply, verifies the proof as a client would, and prints the reply and YES.",
     "assay ask /tmp/c 'The ' -n 16"},
    {"assay", "check", "", OPTS(OPT_CONFIG, OPT_IVK, OPT_REQ, OPT_Y, OPT_PROOF, OPT_ID, OPT_N),
     OPTS(PROMPT, OPT_SHOWN, OPT_MIN_SECURITY, OPT_POLICY, COMMON), "apply a client's acceptance rule",
     "Decides whether to accept a reply. The proof must verify (under the client's --policy, if there is one), and "
     "everything that it speaks of must be what the "
     "client "
     "asked: the ID, its own prompt in its own tokenizer's ids, the context, the greatest length; the reply must end "
     "where a reply ends (a stop token, or the greatest length); the text that was shown (--shown) must be that of the "
     "reply's ids; and the configuration must be inside its planned widths at this length. Prints each point with yes "
     "or "
     "no; the last line is ACCEPT or `REFUSE: ` and the first reason.",
     "assay check --config /tmp/c/config --ivk /tmp/c/ivk --req F.req --y F.y --proof F.proof \\\n"
     "        --id $(cat /tmp/c/ID.txt) --prompt 'The ' -n 24"},
    {"assay", "eval", "", OPTS(OPT_TEXT),
     OPTS(OPT_MODEL, OPT_COMMITMENT, OPT_IDS, OPT_STREAM, OPT_START, OPT_WINDOW, OPT_LIMIT, OPT_MARGIN, OPT_ONLY,
          OPT_CALIBRATE, OPT_THREADS, COMMON),
     "measure what rounding costs a model",
     "Runs a text through a model in float32 and through its integer model, and prints both perplexities and their "
     "ratio, how often both choose the same token (of all positions, and of those where the float model's best token "
     "leads by more than --margin), where the integer model has no result, and its largest accumulators. Windows begin "
     "with a document, as calibration has them.\n"
     "--model is imported as cp_commit does it, with --calibrate. --commitment takes the integers of a commitment in "
     "place of that; the float model is then run only if --model is given too. The figures are about the weights: "
     "they are the owner's.",
     "assay eval --model examples/tiny --text examples/tiny/calibration.txt --tokens 2048"},
    {"assay", "info", "PATH", NONE, OPTS(COMMON), "describe a file or folder",
     "Says what a file or folder of Assay is and what is in it: a request, a next token, a proof, a configuration, a "
     "verification key, a commitment, or a model to commit to. Nothing secret is printed.",
     "assay info F.proof"},
    {"assay", "groth16 setup", "CIRCUIT.r1cs [PTAU]", OPTS(OPT_KEY_OUT), OPTS(WORK), "make a proving key for a circuit",
     "With powers of tau (a .ptau file after `prepare phase2`): the key that `snarkjs groth16 setup` makes, to be "
     "contributed to before use. Without: a development key from a trapdoor that this program draws and forgets. "
     "Whoever "
     "had seen it could prove anything, so the file is marked, and everything that uses the key says so.",
     "assay groth16 setup circuit.r1cs -o dev.zkey"},
    {"assay", "groth16 prove", "KEY.zkey W.wtns PROOF.json PUBLIC.json", NONE,
     OPTS(OPT_R1CS, OPT_SYM, OPT_MEMORY, OPT_DEVELOPMENT, WORK), "prove with a key and a witness",
     "Makes a proof and the list of public values as snarkjs does, on BN254 or BLS12-381. The proof is checked under "
     "the "
     "key's own verification key before anything is written; one that does not verify is exit code 9. With --r1cs a "
     "witness that breaks a constraint is refused first, and the constraint named, by signals with --sym.\n"
     "The key is read in pieces. --memory bounds what the program takes at a time; a bound that cannot be kept is "
     "refused "
     "before the work.",
     "assay groth16 prove key.zkey witness.wtns proof.json public.json --r1cs circuit.r1cs"},
    {"assay", "groth16 verify", "VKEY.json PUBLIC.json PROOF.json", NONE, OPTS(OPT_DEVELOPMENT, OPT_BELLPERSON, COMMON),
     "check a proof",
     "Says OK when the proof shows that somebody knows a witness with these public values; otherwise `INVALID: ` and "
     "the "
     "reason, and exit code 1. Malformed public values and proofs are INVALID; an unusable key is exit code 2. Every "
     "point is checked to be in its group, every number to be in its one canonical form.",
     "assay groth16 verify verification_key.json public.json proof.json"},
    {"assay", "groth16 export-vkey", "KEY.zkey [VKEY.json]", NONE, OPTS(OPT_DEVELOPMENT, COMMON),
     "take the verification key out of a proving key",
     "Writes verification_key.json as snarkjs does, to a file or to standard output.",
     "assay groth16 export-vkey key.zkey verification_key.json"},
    {"assay", "groth16 export-calldata", "PUBLIC.json PROOF.json", NONE, OPTS(COMMON),
     "print the arguments for a Solidity verifier",
     "Prints the arguments of verifyProof in the contract that snarkjs makes, as `snarkjs generatecall` does. BN254 "
     "only.",
     "assay groth16 export-calldata public.json proof.json"},
    {"assay", "groth16 info", "FILE", NONE, OPTS(WORK), "describe a file of Groth16",
     "Says what a .zkey, .r1cs, .wtns or .ptau file holds: curve, sizes, contributions, and for a key what a proof "
     "with it "
     "takes in memory. Nothing of a witness but its length is printed.",
     "assay groth16 info key.zkey"},
    {"assay", "groth16 check-witness", "CIRCUIT.r1cs W.wtns", NONE, OPTS(OPT_SYM, WORK),
     "check a witness against its circuit",
     "Says OK when all constraints hold; otherwise `INVALID: ` with the number of the first one that does not, from 0, "
     "and "
     "its signals, and exit code 1. No values are printed.",
     "assay groth16 check-witness circuit.r1cs witness.wtns --sym circuit.sym"},
    {"assayd", NULL, "", NONE,
     OPTS(OPT_CONFIG_FILE, OPT_LISTEN, OPT_STATUS_LISTEN, OPT_QUEUE, OPT_CIRCUITS, OPT_MODELS, OPT_BUDGET,
          OPT_PARTITION_WORKERS, OPT_GPU_WORKERS, OPT_GPU_THREADS, OPT_NO_PIPELINE, OPT_PRELOAD, OPT_LOG_LEVEL,
          OPT_CHECK_CONFIG, OPT_PRINT_CONFIG, OPT_QUIET, OPT_HELP, OPT_VERSION, OPT_MAN, OPT_MARKDOWN, OPT_COMPLETION),
     "the proving daemon",
     "Serves cuzk.v1.ProvingEngine and assay.v1.Engine over gRPC: takes jobs into a durable queue, proves them within "
     "a "
     "memory budget, one process for each partition, and verifies every proof before it hands it out. Flags win over "
     "what the configuration file says; docs/daemon-config.md has all keys, docs/daemon.md how to run it.\n"
     "SIGTERM or SIGINT: no more jobs are taken, those that run may end for daemon.drain_timeout, the others stay in "
     "the "
     "queue; the same signal again: at once. What the daemon logs goes to standard error.",
     "assayd --listen 127.0.0.1:9820 --queue /tmp/queue.sqlite --circuits /srv/circuits --memory 24GiB"},
    {"assay-bench", "single", "", NONE, OPTS(DAEMON, JOB, OPT_PROOF_FILE, OPT_PUBLIC_FILE, COMMON),
     "prove once and say what it took",
     "Sends one job to a running assayd, waits for its end, and prints how long it waited, and how long synthesis, "
     "proving and verifying took, and the most memory that it held. A job is one of --circuit, --committed and "
     "--type.\n"
     "A job that the daemon took and that failed is exit code 1; one that it refused as too large for its memory is 3.",
     "assay-bench single --circuit multiplier --witness w.wtns -o proof.json --public-out public.json"},
    {"assay-bench", "batch", "", NONE, OPTS(DAEMON, JOB, OPT_JOBS, OPT_CONCURRENCY, COMMON),
     "prove many times and say how quickly",
     "Sends the same job --count times, --concurrency at once, each under an id of its own, and prints proofs an hour, "
     "seconds a proof, and how the times of single jobs are spread. The inputs are read once.",
     "assay-bench batch --circuit multiplier --witness w.wtns -c 20 -j 4"},
    {"assay-bench", "sweep", "", NONE,
     OPTS(JOB, OPT_JOBS, OPT_CONCURRENCY, OPT_PARTITION_WORKERS, OPT_GPU_WORKERS, OPT_GPU_THREADS, OPT_NO_PIPELINE,
          OPT_PRELOAD, OPT_BUDGET, OPT_CIRCUITS, OPT_MODELS, OPT_CSV, OPT_SVG, OPT_BESIDE, COMMON),
     "find the best settings of this machine",
     "Starts a fresh assayd for every pair out of --partition-workers and --gpu-workers (lists such as 1,2,5,7), "
     "proves "
     "once to load the key and then --count times, and looks at the memory of the daemon and all its processes from "
     "outside, every 20 ms (proportional set sizes: a page that several share counts once). Prints a table, a line "
     "fitted through the peaks (baseline + slope x partition workers, with what it leaves), and for machines of "
     "several "
     "sizes the setting that it recommends.\n"
     "It refuses to measure while another assayd runs.",
     "assay-bench sweep --partition-workers 1,2,5,7 --gpu-workers 1,2 --circuits DIR --circuit sha256 --witness w.wtns "
     "--csv sweep.csv --svg sweep.svg"},
    {"assay-bench", "status", "", NONE, OPTS(DAEMON, COMMON), "print what the daemon does",
     "Workers, loaded keys, queues, memory, proofs so far.", "assay-bench status -a 127.0.0.1:9820"},
    {"assay-bench", "metrics", "", NONE, OPTS(DAEMON, COMMON), "print the daemon's metrics",
     "In Prometheus's text format, as GET /metrics does.", "assay-bench metrics | grep assay_memory"},
    {"assay-bench", "preload", "NAME", NONE, OPTS(DAEMON, COMMON), "load a key before it is needed",
     "Waits until the key of this circuit or model is in memory.", "assay-bench preload multiplier"},
    {"assay-bench", "evict", "NAME", NONE, OPTS(DAEMON, COMMON), "take a key out of memory",
     "A key that a job uses stays, and the exit code is 2.", "assay-bench evict multiplier"},
    {"assay-bench", "cancel", "JOB", NONE, OPTS(DAEMON, COMMON), "cancel a job",
     "A waiting job ends at once; a running one is stopped.",
     "assay-bench cancel 5b2d1f0a-0d4b-4b8e-9a53-8f3c6a1c2e77"},
};
const size_t assay_n_commands = sizeof assay_commands / sizeof *assay_commands;

const assay_command_group assay_command_groups[] = {
    {"assay", "groth16", "proofs of circom circuits: setup, prove, verify, ..."},
};
const size_t assay_n_command_groups = sizeof assay_command_groups / sizeof *assay_command_groups;

const assay_command_group *assay_command_group_find(const char *program, const char *name)
{
    for (size_t i = 0; i < assay_n_command_groups; i++) {
        const assay_command_group *g = &assay_command_groups[i];
        if (strcmp(g->program, program) == 0 && strcmp(g->name, name) == 0) return g;
    }
    return NULL;
}

const assay_command_group *assay_command_group_of(const assay_command *c)
{
    for (size_t i = 0; c->sub && i < assay_n_command_groups; i++) {
        const assay_command_group *g = &assay_command_groups[i];
        const size_t n = strlen(g->name);
        if (strcmp(g->program, c->program) == 0 && strncmp(c->sub, g->name, n) == 0 && c->sub[n] == ' ') return g;
    }
    return NULL;
}

static bool is_in(const uint8_t *list, assay_opt_id id)
{
    while (*list != OPT_COUNT && *list != id) list++;
    return *list == id && id != OPT_COUNT;
}

bool assay_command_needs(const assay_command *c, assay_opt_id id)
{
    return is_in(c->required, id);
}

bool assay_command_takes(const assay_command *c, assay_opt_id id)
{
    return is_in(c->required, id) || is_in(c->allowed, id);
}

/* What may be repeated, where the command takes it. */
static const struct {
    const char *program;
    const uint8_t *options;
} repeated[] = {{"cp_prove", OPTS(OPT_REQ, OPT_Y, OPT_PROOF_OUT)},
                {"assay", OPTS(OPT_USER, OPT_ASSISTANT)},
                {"assay-bench", OPTS(OPT_WITNESS)}};

bool assay_command_repeats(const assay_command *c, assay_opt_id id)
{
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++)
        if (strcmp(repeated[i].program, c->program) == 0)
            return is_in(repeated[i].options, id) && assay_command_takes(c, id);
    return false;
}

const assay_exit_code assay_exit_codes[] = {
    {0, "done; YES; ACCEPT; OK"},
    {1, "NO, REFUSE, INVALID, the integer model has no such result, or a job that failed"},
    {2, "wrong usage, or input that is missing, unreadable or unusable"},
    {3, "out of memory"},
    {4, "output could not be written (no space, not permitted)"},
    {5, "another prover holds the commitment, or another daemon the queue; the daemon is draining or gone"},
    {6, "the commitment's lifetime of proofs is used up"},
    {7, "canceled"},
    {8, "an error of Assay itself"},
    {9, "no proof: the witness does not satisfy the circuit, or the key is bad; nothing was written"},
    {130, "interrupted (SIGINT); nothing half-written is left. 143: SIGTERM, 129: SIGHUP"},
    {-1, NULL},
};

const assay_command *assay_command_find(const char *program, const char *sub)
{
    for (size_t i = 0; i < assay_n_commands; i++) {
        const assay_command *c = &assay_commands[i];
        if (strcmp(c->program, program) == 0 && (!sub ? !c->sub : c->sub && strcmp(c->sub, sub) == 0)) return c;
    }
    return NULL;
}
