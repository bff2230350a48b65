# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What run.sh and benchmark.sh share: sourced, not run.

# mib_here: memory that may be used, in MiB: the least of MemAvailable and what the control groups leave.
mib_here() {
    local least group at max used
    least=$(($(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo) / 1024))
    group=$(sed -n 's/^0:://p' /proc/self/cgroup 2>/dev/null || true)
    at=/sys/fs/cgroup$group
    while [ -n "$group" ] && [ "${at#/sys/fs/cgroup}" != "$at" ]; do
        if [ -r "$at/memory.max" ] && read -r max <"$at/memory.max" && [ "$max" != max ] && read -r used <"$at/memory.current"; then
            [ $(((max - used) / 1048576)) -ge "$least" ] || least=$(((max - used) / 1048576))
        fi
        at=${at%/*}
    done
    echo "$least"
}

# of_flags NAME ARGUMENT...: the value of --NAME among assayd's flags; fails when it is not there.
of_flags() {
    local name=--$1 found=1
    shift
    while [ $# -gt 0 ]; do
        case $1 in
        "$name") [ $# -gt 1 ] && echo "$2" && found=0 && break ;;
        "$name"=*) echo "${1#*=}" && found=0 && break ;;
        esac
        shift
    done
    return $found
}

# describe_machine: one line for people.
describe_machine() {
    local gpus
    gpus=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | sort | uniq -c | sed 's/^ *//; s/ / x /' | paste -sd, || true)
    echo "$(nproc) processors ($(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)), $(mib_here) MiB of memory to use${gpus:+, $gpus (not used: processors prove)}"
}
