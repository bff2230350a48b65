/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of folders. */
#include "base/mem.h"
#include "base/status.h"
#include "cli/describe.h"
#include "cli/files.h"
#include "cp/store_codec.h"
#include "model/hf_config.h"
#include <string.h>

static void not_twice(assay_describer *d, const char *what)
{
    if (!d->json) assay_fact_text(d, "---", what);
}

typedef assay_status describe_fn(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err);

static assay_status describe_file(assay_describer *d, const char *path, const char *name, describe_fn *describe,
                                  assay_errinfo *err)
{
    assay_buffer b;
    assay_status s = assay_cli_read(&b, path, name, ASSAY_MAX_PUBLIC_FILE, err);
    if (s == ASSAY_OK) s = describe(d, b.p, b.n, err);
    assay_buffer_free(&b);
    return s;
}

assay_status assay_describe_config_folder(assay_describer *d, const char *path, assay_errinfo *err)
{
    return describe_file(d, path, "config.bin", assay_describe_config, err);
}

assay_status assay_describe_ivk_folder(assay_describer *d, const char *path, assay_errinfo *err)
{
    return describe_file(d, path, "ivk.bin", assay_describe_ivk, err);
}

/* The ID of both files, and the count, which not everyone may read. */
static assay_status identity(assay_describer *d, const char *path, const assay_public *pub, assay_errinfo *err)
{
    assay_buffer text, counter;
    assay_errinfo quiet;
    uint8_t id[ASSAY_ID_BYTES];
    uint64_t spent = 0;
    memset(&quiet, 0, sizeof quiet);
    assay_status s = assay_cli_read(&text, path, "ID.txt", ASSAY_ID_TEXT, err);
    if (s == ASSAY_OK) s = assay_id_decode(id, (const char *)text.p, text.n, err);
    assay_buffer_free(&text);
    if (s != ASSAY_OK) return s;
    assay_fact_hex(d, "id", pub->id, ASSAY_ID_BYTES);
    if (memcmp(id, pub->id, sizeof id) != 0)
        return ASSAY_FAIL(err, ASSAY_EFORMAT, "ID.txt", "is not the ID of config.bin and ivk.bin");
    assay_fact_number(d, "security", pub->params.security);
    assay_fact_number(d, "proofs_covered", assay_proofs_covered(&pub->params));
    if (assay_cli_read(&counter, path, "isk/counter", ASSAY_COUNTER_FILE, &quiet) == ASSAY_OK &&
        assay_counter_decode(&spent, counter.p, counter.n, &quiet) == ASSAY_OK)
        assay_fact_number(d, "proofs_made", spent);
    assay_buffer_free(&counter);
    return ASSAY_OK;
}

assay_status assay_describe_commitment(assay_describer *d, const char *path, assay_errinfo *err)
{
    assay_buffer config, ivk = {NULL, 0};
    assay_public pub;
    memset(&pub, 0, sizeof pub);
    assay_status s = assay_cli_read(&config, path, "config/config.bin", ASSAY_MAX_PUBLIC_FILE, err);
    if (s == ASSAY_OK) s = assay_cli_read(&ivk, path, "ivk/ivk.bin", ASSAY_MAX_PUBLIC_FILE, err);
    if (s == ASSAY_OK) s = assay_public_decode(&pub, config.p, config.n, ivk.p, ivk.n, err);
    if (s == ASSAY_OK) {
        if (!d->json) assay_fact_text(d, "what", "commitment (isk/ and model/ are secret)");
        s = identity(d, path, &pub, err);
    }
    if (s == ASSAY_OK) {
        not_twice(d, "configuration");
        s = assay_describe_config(d, config.p, config.n, err);
    }
    assay_public_clear(&pub);
    assay_buffer_free(&config);
    assay_buffer_free(&ivk);
    return s;
}

assay_status assay_describe_model(assay_describer *d, const char *path, assay_errinfo *err)
{
    assay_buffer b;
    assay_hf_config c;
    assay_status s = assay_cli_read(&b, path, "config.json", ASSAY_MAX_PUBLIC_FILE, err);
    if (s == ASSAY_OK) s = assay_hf_config_parse(&c, "config.json", b.p, b.n, err);
    assay_buffer_free(&b);
    if (s != ASSAY_OK) return s;
    assay_fact_text(d, "what", "Llama model, for cp_commit");
    assay_fact_number(d, "layers", c.n_layers);
    assay_fact_number(d, "width", c.d);
    assay_fact_number(d, "vocabulary", c.vocab);
    assay_fact_number(d, "context", c.max_positions);
    return ASSAY_OK;
}
