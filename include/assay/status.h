/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes, verdicts and error details shared by every Assay function. */
#ifndef ASSAY_STATUS_H
#define ASSAY_STATUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ASSAY_MUST_USE __attribute__((warn_unused_result))
#define ASSAY_API      __attribute__((visibility("default")))
#else
#define ASSAY_MUST_USE
#define ASSAY_API
#endif

/* Whether an operation ran. "The statement is false" is never a status: see assay_verdict. */
typedef enum assay_status {
    ASSAY_OK = 0,
    ASSAY_EINVAL = 1,       /* the caller broke a documented precondition */
    ASSAY_EFORMAT = 2,      /* untrusted bytes do not follow their format */
    ASSAY_ERANGE = 3,       /* untrusted bytes follow the format, a value is out of range */
    ASSAY_ENOMEM = 4,       /* an allocation failed or would pass a limit */
    ASSAY_EIO = 5,          /* the operating system refused a read, write or sync */
    ASSAY_EDEVICE = 6,      /* an accelerator failed */
    ASSAY_ECANCELED = 7,    /* the progress callback or a signal asked to stop */
    ASSAY_EUNSUPPORTED = 8, /* well-formed, but of a kind this version does not handle */
    ASSAY_ENORESULT = 9,    /* the integer model has no result on this request */
    ASSAY_EEXHAUSTED = 10,  /* the commitment's lifetime of proofs is used up */
    ASSAY_EBUSY = 11,       /* another process holds the commitment's lock */
    ASSAY_EINTERNAL = 12,   /* a bug in Assay */
    ASSAY_EUNSATISFIED = 13 /* no proof: the witness breaks the circuit, or a key is not what it seems */
} assay_status;

/* Outcome of a check that ran. Every verifier writes REJECT first and ACCEPT as its last act. */
typedef enum assay_verdict { ASSAY_REJECT = 0, ASSAY_ACCEPT = 1 } assay_verdict;

enum { ASSAY_OS_ERROR = -1 };

/* Detail of a failure, filled by the innermost function that knows it.
 *
 * subject   what the failure is about: a file, a tensor, a field; never a secret; "" if nothing
 * reason    static text, never NULL once filled
 * a, b      two numbers the reason may speak of; has_ab says how many are meant. ASSAY_OS_ERROR: a is the operating
 *           system's error number (errno), which assay_errinfo_text says in words
 * file,line where in Assay's source it was noticed */
typedef struct assay_errinfo {
    assay_status status;
    char subject[256];
    const char *reason;
    int64_t a, b;
    int has_ab;
    const char *file;
    int line;
} assay_errinfo;

/* A short English name of a status, for messages. Never NULL. */
ASSAY_API const char *assay_status_name(assay_status s);

/* Writes "subject: reason (a, b)" into out, at most nbytes with the terminating zero; returns out. One line: a control
 * character in the subject becomes '?'. */
ASSAY_API char *assay_errinfo_text(const assay_errinfo *e, char *out, size_t nbytes);

#ifdef __cplusplus
}
#endif
#endif
