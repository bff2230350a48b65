/* SPDX-License-Identifier: Apache-2.0 */
/* Text into a writer. */
#ifndef ASSAY_BASE_WRITE_TEXT_H
#define ASSAY_BASE_WRITE_TEXT_H

#include "base/bytes.h"

/* As printf, at most 4 KiB at once; longer makes the writer bad. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void assay_write_text(assay_writer *w, const char *format, ...);
/* With &, <, > and quotes as XML writes them. */
void assay_write_xml(assay_writer *w, const char *text);

#endif
