# SPDX-License-Identifier: Apache-2.0
# cmake -DIN=FILE -DOUT=FILE.c -DNAME=name -P embed.cmake: the bytes of a file as an array of C.
file(READ "${IN}" hex HEX)
string(LENGTH "${hex}" digits)
math(EXPR n "${digits} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "((0x..,){24})" "\\1\n    " bytes "${bytes}")
file(WRITE "${OUT}" "/* Written by cmake/embed.cmake. */
#include <stddef.h>
extern const unsigned char ${NAME}[];
extern const size_t ${NAME}_nbytes;
const unsigned char ${NAME}[] = {
    ${bytes}};
const size_t ${NAME}_nbytes = ${n};
")
