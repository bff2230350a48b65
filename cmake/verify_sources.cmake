# SPDX-License-Identifier: Apache-2.0
# What checking a proof needs, and nothing else: these files make libassay_verify. Portable C11, no threads,
# no instruction-set kernels, no dependency beyond libc. scripts/build-verifier.sh reads this list too, so keep
# one path a line.
set(ASSAY_VERIFY_SOURCES
    src/base/bytes.c
    src/base/file_read.c
    src/base/mem.c
    src/base/path.c
    src/base/status.c
    src/commit/channel.c
    src/commit/code_params.c
    src/commit/matrix_verify.c
    src/commit/multiproof.c
    src/commit/plain_sumcheck.c
    src/commit/queries.c
    src/commit/tail.c
    src/commit/tail_claims.c
    src/cp/api_buffer.c
    src/cp/api_request.c
    src/cp/api_verify.c
    src/cp/commit_params.c
    src/cp/families.c
    src/cp/functional.c
    src/cp/functional_verify.c
    src/cp/layout.c
    src/cp/layout_rows.c
    src/cp/lookup_tables.c
    src/cp/protocol.c
    src/cp/public.c
    src/cp/public_codec.c
    src/cp/rel_linear.c
    src/cp/rel_lookups.c
    src/cp/rel_matrices.c
    src/cp/rel_products.c
    src/cp/rel_score.c
    src/cp/residual.c
    src/cp/shape.c
    src/cp/soundness.c
    src/cp/statement.c
    src/cp/tuples.c
    src/cp/verify.c
    src/cp/weights.c
    src/field/batch_inv.c
    src/field/circle.c
    src/field/kvec.c
    src/hash/merkle_hash.c
    src/hash/sha256.c
    src/hash/transcript.c
    src/hash/words.c
    src/iop/batch.c
    src/iop/gkr.c
    src/iop/merge.c
    src/iop/product_list.c
    src/iop/sumcheck.c
    src/iop/tape.c
    src/model/config.c
    src/model/config_codec.c
    src/model/tables.c
    src/model/tables_fixed.c
    src/model/tensors.c
    src/poly/eq.c
    src/poly/eq_prefix.c
)

# The part of src/cli/ that cp_verify is made of.
set(ASSAY_VERIFY_CLI_SOURCES
)
