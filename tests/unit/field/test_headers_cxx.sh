#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The field headers are shared with accelerator code, which is C++17.
command -v c++ >/dev/null || { echo "no C++ compiler"; exit 77; }
printf '#include "%s"\n' field/m31.h field/k.h field/circle.h |
    c++ -std=c++17 -Wall -Wextra -Wconversion -Wsign-conversion -Werror -I src -I include -fsyntax-only -x c++ -
