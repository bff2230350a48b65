#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Global names: every symbol that the static libraries define begins with assay_, and the shared libraries export exactly
# what the public headers mark ASSAY_API.
#     scripts/check/names.sh BUILD_DIR
set -uo pipefail
cd "$(dirname "$0")/../.."
dir=${1:-build}
bad=0

for lib in assay assay_verify; do
    symbols=$(nm -g --defined-only "$dir/lib/lib$lib.a" | awk 'NF == 3 { print $3 }')
    [ -n "$symbols" ] || { echo "lib$lib.a: no symbols"; bad=1; }
    # Sanitizers and coverage add their own names; this check is for release builds.
    foreign=$(grep -v '^assay_' <<<"$symbols")
    [ -z "$foreign" ] || { printf 'lib%s.a: global without the assay_ prefix: %s\n' "$lib" $foreign; bad=1; }
done

marked=$(cat include/assay/*.h | tr '\n' ' ' | grep -oE 'ASSAY_API[^;({]*\(' | grep -oE 'assay_[a-z0-9_]+ *\(' |
    tr -d '( ' | sort -u)
for lib in assay assay_verify; do
    exported=$(nm -D --defined-only "$dir/lib/lib$lib.so" | awk '{ print $3 }' | sort -u)
    extra=$(comm -13 <(echo "$marked") <(echo "$exported"))
    [ -z "$extra" ] || { printf 'lib%s.so: exported but not marked ASSAY_API in include/assay/: %s\n' "$lib" $extra; bad=1; }
done
lost=$(comm -23 <(echo "$marked") <(nm -D --defined-only "$dir/lib/libassay.so" | awk '{ print $3 }' | sort -u))
[ -z "$lost" ] || { printf 'libassay.so: declared in include/assay/ but not exported: %s\n' $lost; bad=1; }

echo "names: $(wc -w <<<"$marked") public functions"
exit "$bad"
