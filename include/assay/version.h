/* SPDX-License-Identifier: Apache-2.0 */
/* The version of this source tree: the one place where it stands (CMake reads it from here). */
#ifndef ASSAY_VERSION_H
#define ASSAY_VERSION_H

#define ASSAY_VERSION_STRING "0.1.0"

#endif
