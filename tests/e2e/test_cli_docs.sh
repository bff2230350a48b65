#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# docs/cli.md, man pages and completion are what the programs print; --help has what it must.
. "$(dirname "$0")/lib.sh"

"$root/scripts/make-cli-docs.sh" --check "$bin" || fail "generated documentation is stale"
ok "generated documentation"
for command in cp_commit cp_prove cp_verify assayd 'assay reply' 'assay request' 'assay ask' 'assay check' 'assay eval' 'assay info' \
    'assay groth16 setup' 'assay groth16 prove' 'assay groth16 verify' 'assay groth16 export-vkey' \
    'assay groth16 export-calldata' 'assay groth16 info' 'assay groth16 check-witness'; do
    # shellcheck disable=SC2086
    run 0 $command --help
    grep -q '^Example:' "$work/out" && grep -q '^Exit codes:' "$work/out" || fail "$command --help"
    [ "$(wc -L <"$work/out")" -le 125 ] || fail "$command --help has a long line"
    ok "$command --help"
done
run 0 assay --help
grep -q 'cp_verify' "$work/out" || fail "assay --help"
run 0 assay groth16 --help
grep -q 'check-witness' "$work/out" || fail "assay groth16 --help"
run 2 assay groth16
run 2 assay groth16 nothing
run 0 cp_verify --version
last_is '^cp_verify [0-9]+\.[0-9]+\.[0-9]+$'
ok "--version"
if command -v groff >/dev/null; then
    for page in "$root"/docs/man/*.1; do
        [ -z "$(groff -man -Tutf8 -ww "$page" 2>&1 >/dev/null)" ] || fail "groff complains about $page"
    done
    ok "man pages"
fi
# Each exit code of the table is in the documentation.
for code in 0 1 2 3 4 5 6 7 8 9 130; do
    grep -q "^| $code | " "$root/docs/cli.md" || fail "exit code $code is not in docs/cli.md"
done
bash -n "$root/docs/assay.bash" || fail "completion"
ok "exit codes, completion"
finish
