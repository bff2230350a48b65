/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of lanes_checks.tmpl.h for all four fields, by the vectors of one instruction set. */
#ifndef ASSAY_TESTS_LANES_CHECKS_H
#define ASSAY_TESTS_LANES_CHECKS_H

void lanes_checks_ifma(void); /* needs ASSAY_CPU_IFMA */

#endif
