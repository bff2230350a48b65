/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates for tests: an authority and what it vouches for, made when they are needed. */
#ifndef ASSAY_TESTS_DAEMON_CERTIFICATES_H
#define ASSAY_TESTS_DAEMON_CERTIFICATES_H

#include <stdbool.h>

/* Writes FOLDER/NAME.pem (an authority's certificate), FOLDER/NAME-server.pem and -server.key (for localhost, 127.0.0.1
 * and ::1), FOLDER/NAME-client.pem and -client.key. */
bool test_certificates_make(const char *folder, const char *name);

#endif
