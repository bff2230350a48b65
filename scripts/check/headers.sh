#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each header compiles alone: public ones as C11 and C++17 with nothing but include/, internal ones as C11.
# Templates (*.tmpl.h) are not headers in this sense.
set -uo pipefail
cd "$(dirname "$0")/../.."

warn=(-Wall -Wextra -Werror -fsyntax-only -fmax-errors=3)
bad=0 n=0
check() { "$@" || { echo "failed: $*"; bad=$((bad + 1)); }; }

for h in include/assay/*.h; do
    n=$((n + 1))
    check gcc -std=c11 -pedantic "${warn[@]}" -Iinclude -x c "$h"
    check g++ -std=c++17 -pedantic "${warn[@]}" -Iinclude -x c++ "$h"
done
for h in src/*/*.h src/*/*/*.h; do
    [ -e "$h" ] || continue
    [[ $h != *.tmpl.h ]] || continue # included with parameters set
    n=$((n + 1))
    flags=()
    case $h in
    *avx512*) flags=(-mavx512f -mavx512vl -mavx512bw -mavx512dq -mavx2 -mbmi2 -mfma) ;;
    *avx2*) flags=(-mavx2 -mbmi2 -mfma) ;;
    *shani*) flags=(-msha -msse4.1) ;;
    esac
    check gcc -std=c11 "${warn[@]}" -Wno-unused-function "${flags[@]}" -Isrc -Iinclude -x c "$h"
done
echo "headers: $n files, $bad problems"
[ "$bad" -eq 0 ] && [ "$n" -gt 0 ]
