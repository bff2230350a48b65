/* SPDX-License-Identifier: Apache-2.0 */
#include "base/write_text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void assay_write_text(assay_writer *w, const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof text)
        w->bad = true;
    else
        assay_write_bytes(w, text, (size_t)n);
}

void assay_write_xml(assay_writer *w, const char *text)
{
    for (; *text; text++) {
        const char *as = *text == '&'   ? "&amp;"
                         : *text == '<' ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '"' ? "&quot;"
                                        : NULL;
        if (as)
            assay_write_bytes(w, as, strlen(as));
        else
            assay_write_bytes(w, text, 1);
    }
}
