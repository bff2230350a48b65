#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The installed tree, moved to another prefix, works for strangers: CMake package and pkg-config, shared and static, and
# the examples build against it.
# ctest: labels nosan
# ctest: timeout 300
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${ASSAY_BINARY_DIR:-$root/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

passed=0
ok() {
    passed=$((passed + 1))
    echo "ok: $1"
}

cmake --build "$build" --target libraries programs >/dev/null
cmake --install "$build" --prefix "$work/first" >/dev/null
# What systemd and people look for, if the daemon is built; the unit names where it was installed.
if [ -e "$build/lib/libassay_daemon.a" ]; then
    for file in lib/systemd/system/assayd.service lib/sysusers.d/assay.conf lib/tmpfiles.d/assay.conf share/man/man5/assayd.toml.5 \
        share/man/man1/assay.1 share/doc/assay/examples/assayd.toml share/doc/assay/examples/assay.json share/doc/assay/examples/assay.rules.yml; do
        [ -s "$work/first/$file" ] || { echo "not installed: $file"; exit 1; }
    done
    unit=$work/first/lib/systemd/system/assayd.service
    grep -q "^ExecStart=$work/first/bin/assayd " "$unit" && ! grep -q '@[a-z]*@' "$unit" || { echo "the unit: $(grep ExecStart "$unit")"; exit 1; }
    DESTDIR=$work/stage cmake --install "$build" --prefix /opt/assay >/dev/null
    grep -q '^ExecStart=/opt/assay/bin/assayd ' "$work/stage/opt/assay/lib/systemd/system/assayd.service" || { echo "the staged unit"; exit 1; }
    ok "unit, folders, man pages, example configuration, dashboard"
fi
mv "$work/first" "$work/prefix with space"
prefix="$work/prefix with space"
pc=$(dirname "$(find "$prefix" -name assay.pc)")
lib=$(dirname "$pc")

cmake -S "$here" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --build "$work/consumer" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
for target in assay assay_verify assay_static assay_verify_static; do
    "$work/consumer/use_$target" >/dev/null
    ok "find_package: assay::$target"
done

export PKG_CONFIG_PATH="$pc"
# pkg-config prints paths with escaped spaces, for a shell to read.
for name in assay assay_verify; do
    eval "cc -std=c11 $(pkg-config --cflags $name) $here/consumer.c $(pkg-config --libs $name) -o $work/shared"
    LD_LIBRARY_PATH="$lib" "$work/shared" >/dev/null
    [[ $(ldd "$work/shared") == *"lib$name.so"* ]] || { echo "not linked to lib$name.so"; exit 1; }
    ok "pkg-config: $name"
    libs=$(pkg-config --static --libs $name | sed "s/-l$name\b/-l:lib$name.a/")
    eval "cc -std=c11 $(pkg-config --static --cflags $name) $here/consumer.c $libs -o $work/static"
    "$work/static" >/dev/null
    [[ $(ldd "$work/static") != *libassay* ]] || { echo "linked to a shared libassay"; exit 1; }
    ok "pkg-config --static: $name"
done

# The example programs use public headers only; a proof made by one is accepted by the other, an altered one is not.
for example in prove:assay verify:assay_verify; do
    name=${example#*:} example=${example%:*}
    eval "cc -std=c11 -Wall -Wextra -Werror $(pkg-config --cflags "$name") $root/examples/$example.c \
        $(pkg-config --libs "$name") -o $work/$example"
    ok "examples/$example.c with $name"
done
mkdir "$work/files"
LD_LIBRARY_PATH="$lib" "$work/prove" "$root/examples/tiny" "The cat" "$work/files" >"$work/log" || { cat "$work/log"; exit 1; }
grep -q 'cancelled at' "$work/log"
ok "examples/prove.c: $(tail -n 1 "$work/log")"
[ "$(LD_LIBRARY_PATH="$lib" "$work/verify" "$work/files")" = YES ]
ok "examples/verify.c: YES"
# Another token after the reply.
printf x | dd of="$work/files/F.y" bs=1 seek=12 conv=notrunc status=none
code=0
answer=$(LD_LIBRARY_PATH="$lib" "$work/verify" "$work/files") || code=$?
[ "$code" -eq 1 ] || { echo "altered file: exit code $code"; exit 1; }
ok "examples/verify.c: $answer"

# Man pages and completion lie where they are looked for.
for page in cp_commit cp_prove cp_verify assay; do
    [ -s "$prefix/share/man/man1/$page.1" ] || { echo "no man page $page"; exit 1; }
done
[ -s "$prefix/share/bash-completion/completions/assay" ] || { echo "no completion"; exit 1; }
ok "man pages, completion"

# The programs run from there, and find nothing missing.
for program in "$prefix"/bin/*; do
    [ -e "$program" ] || continue
    "$program" --help >/dev/null
    ok "$(basename "$program") --help"
done
echo "$passed passed, 0 failed"
