#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each header compiles alone: public ones as C11 and C++17 with nothing but include/, internal ones as C11.
# Templates (*.tmpl.h) are not headers in this sense.
set -uo pipefail
cd "$(dirname "$0")/../.."

warn=(-Wall -Wextra -Werror -fsyntax-only -fmax-errors=3)
bad=0 n=0
# check HEADER COMPILER...: a file that includes only the header, twice (guards) and declares something.
check() {
    local header=$1
    shift
    printf '#include "%s"\n#include "%s"\ntypedef int nonempty;\n' "$header" "$header" | "$@" - ||
        { echo "failed: $header: $*"; bad=$((bad + 1)); }
}

for h in include/assay/*.h; do
    n=$((n + 1))
    check "${h#include/}" gcc -std=c11 -pedantic "${warn[@]}" -Iinclude -x c
    check "${h#include/}" g++ -std=c++17 -pedantic "${warn[@]}" -Iinclude -x c++
done
for h in src/*/*.h src/*/*/*.h; do
    [ -e "$h" ] || continue
    [[ $h != *.tmpl.h ]] || continue # included with parameters set
    n=$((n + 1))
    flags=()
    case $h in
    src/field/k_vec.h) flags=(-mavx2 -include src/field/m31_vec_avx2.h) ;; # works on a vector type chosen before it
    *avx512*) flags=(-mavx512f -mavx512vl -mavx512bw -mavx512dq -mavx2 -mbmi2 -mfma) ;;
    *avx2*) flags=(-mavx2 -mbmi2 -mfma) ;;
    *ifma*) flags=(-mavx512f -mavx512vl -mavx512bw -mavx512dq -mavx512ifma -mavx2 -mbmi2 -madx -mfma) ;;
    *adx*) flags=(-mbmi2 -madx) ;;
    *shani*) flags=(-msha -msse4.1) ;;
    esac
    check "${h#src/}" gcc -std=c11 "${warn[@]}" -Wno-unused-function "${flags[@]}" -Isrc -Iinclude -x c
done
echo "headers: $n files, $bad problems"
[ "$bad" -eq 0 ] && [ "$n" -gt 0 ]
