/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise operations: every implementation equals plain C bit for bit. */
#include "base/mem.h"
#include "setups.h"

/* Vectors are twice as long as needed and one element in, so that no plane is aligned and overruns are seen: whole
 * vectors are compared, and an operation must leave what lies outside its range alone. */
typedef struct fixture {
    size_t n;
    assay_kvec x, y, z; /* owned, 2n + 2 elements */
    uint32_t *f, *g;    /* 2n + 2 words */
    kel a;
} fixture;

static fixture make(size_t n)
{
    size_t m = 2 * n + 2;
    fixture t = {n, new_kvec(m), new_kvec(m), new_kvec(m), new_words(m), new_words(m), random_k()};
    return t;
}

static void drop(fixture *t)
{
    assay_kvec_free(&t->x);
    assay_kvec_free(&t->y);
    assay_kvec_free(&t->z);
    assay_mem_free(t->f);
    assay_mem_free(t->g);
}

/* An operation of the backend on outputs y and z (views one element in) and inputs of the fixture. */
typedef void op_fn(const assay_backend *be, const fixture *t, assay_kvec *y, assay_kvec *z);

static void apply(const assay_backend *ref, const assay_backend *be, const fixture *t, const char *name, op_fn *op)
{
    assay_kvec got_y = copy_kvec(&t->y), got_z = copy_kvec(&t->z), want_y = copy_kvec(&t->y), want_z = copy_kvec(&t->z);
    assay_kvec gy = assay_kvec_at(&got_y, 1, 2 * t->n), gz = assay_kvec_at(&got_z, 1, 2 * t->n);
    assay_kvec wy = assay_kvec_at(&want_y, 1, 2 * t->n), wz = assay_kvec_at(&want_z, 1, 2 * t->n);
    op(be, t, &gy, &gz);
    op(ref, t, &wy, &wz);
    check_kvec(be, name, &got_y, &want_y);
    check_kvec(be, name, &got_z, &want_z);
    assay_kvec_free(&got_y);
    assay_kvec_free(&got_z);
    assay_kvec_free(&want_y);
    assay_kvec_free(&want_z);
}

static void k_axpy(const assay_backend *be, const fixture *t, assay_kvec *y, assay_kvec *z)
{
    be->k_axpy(be, y, t->a, &t->x, t->n);
    be->k_axpy(be, z, t->a, z, t->n);
}
static void kf_axpy(const assay_backend *be, const fixture *t, assay_kvec *y, assay_kvec *z)
{
    be->kf_axpy(be, y, t->a, t->f + 1, t->n);
    (void)z;
}
static void k_scale(const assay_backend *be, const fixture *t, assay_kvec *y, assay_kvec *z)
{
    be->k_scale(be, y, t->a, t->n);
    be->k_scale(be, z, k_neg(k_one()), t->n);
}
static void k_add_op(const assay_backend *be, const fixture *t, assay_kvec *y, assay_kvec *z)
{
    be->k_add(be, y, &t->x, t->n);
    (void)z;
}
/* Apart, and in place. */
static void k_fold(const assay_backend *be, const fixture *t, assay_kvec *y, assay_kvec *z)
{
    be->k_fold(be, y, &t->x, t->a, t->n);
    be->k_fold(be, z, z, t->a, t->n);
}
static void k_halve(const assay_backend *be, const fixture *t, assay_kvec *y, assay_kvec *z)
{
    be->k_halve(be, y, &t->x, t->n);
    be->k_halve(be, z, z, t->n);
}
static void f_fold(const assay_backend *be, const fixture *t, assay_kvec *y, assay_kvec *z)
{
    be->f_fold(be, y, t->f + 1, t->a, t->n);
    (void)z;
}
static void k_split(const assay_backend *be, const fixture *t, assay_kvec *y, assay_kvec *z)
{
    be->k_split(be, y, z, &t->x, t->n);
}
static void frac_up(const assay_backend *be, const fixture *t, assay_kvec *y, assay_kvec *z)
{
    assay_kvec p = assay_kvec_at(&t->x, 2, 2 * t->n);
    be->frac_up(be, y, z, &p, &t->x, t->n);
}
static void frac_up_f(const assay_backend *be, const fixture *t, assay_kvec *y, assay_kvec *z)
{
    be->frac_up_f(be, y, z, t->f + 1, &t->x, t->n);
}
static void k_affine(const assay_backend *be, const fixture *t, assay_kvec *y, assay_kvec *z)
{
    const kel coef[8] = {t->a,           kvec_get(&t->x, 0), k_one(), k_neg(t->a), kvec_get(&t->x, 1),
                         k_neg(k_one()), k_zero(),           t->a};
    const uint32_t *const cols[8] = {t->f, t->g, t->f + 1, t->g + 1, t->g + 2, t->f, t->g, t->f + 2};
    be->k_affine(be, y, t->a, coef, cols, 8, t->n);
    be->k_affine(be, z, t->a, coef, cols, t->n % 8, t->n);
}

/* Up to 20 rows, three groups of eight. */
static void kf_axpy_many(const assay_backend *be, const fixture *t, assay_kvec *y, assay_kvec *z)
{
    kel a[20];
    const uint32_t *rows[20];
    for (size_t j = 0; j < 20; j++) {
        a[j] = kvec_get(&t->x, j % t->x.n);
        rows[j] = (j % 2 ? t->f : t->g) + j % 3;
    }
    be->kf_axpy_many(be, y, a, rows, 20, t->n);
    be->kf_axpy_many(be, z, a, rows, t->n % 10, t->n);
}

static void compare_all(const assay_backend *ref, const assay_backend *be)
{
    static const struct {
        const char *name;
        op_fn *fn;
    } ops[] = {{"k_axpy", k_axpy},   {"kf_axpy", kf_axpy},     {"k_scale", k_scale},   {"k_add", k_add_op},
               {"k_fold", k_fold},   {"k_halve", k_halve},     {"f_fold", f_fold},     {"k_split", k_split},
               {"frac_up", frac_up}, {"frac_up_f", frac_up_f}, {"k_affine", k_affine}, {"kf_axpy_many", kf_axpy_many}};
    for (size_t i = 0; i < setup_n_sizes; i++) {
        fixture t = make(setup_sizes[i]);
        for (size_t j = 0; j < sizeof ops / sizeof ops[0]; j++) apply(ref, be, &t, ops[j].name, ops[j].fn);
        drop(&t);
    }
}

TEST(implementations_agree)
{
    for_each_setup(compare_all);
}

/* Products of elements whose coordinates are all (p-1)/2 or (p+1)/2, the largest once centred. */
static void compare_extremes(const assay_backend *ref, const assay_backend *be)
{
    assay_kvec x = new_kvec(64), got = new_kvec(64), want = new_kvec(64);
    for (size_t i = 0; i < 64; i++)
        for (size_t j = 0; j < K_WORDS; j++) x.c[j][i] = M31_P / 2 + (uint32_t)(i >> j & 1);
    for (size_t i = 0; i < 64; i++) {
        kel a = kvec_get(&x, i), dots[2];
        for (size_t j = 0; j < 64; j++) {
            kvec_set(&got, j, kvec_get(&x, j));
            kvec_set(&want, j, a);
        }
        dots[0] = be->k_dot(be, &want, &x, 64);
        dots[1] = ref->k_dot(ref, &want, &x, 64);
        check_kels(be, "k_dot", 64, dots, dots + 1, 1);
        be->k_scale(be, &got, a, 64);
        for (size_t j = 0; j < 64; j++) kvec_set(&want, j, k_mul(a, kvec_get(&x, j)));
        check_kvec(be, "k_scale", &got, &want);
    }
    /* Eight equal terms: the largest sum that is reduced at once, of either sign. */
    for (size_t i = 0; i < 64; i += 63) {
        kel a[8];
        const uint32_t *rows[8];
        for (size_t j = 0; j < 8; j++) {
            a[j] = kvec_get(&x, i);
            rows[j] = x.c[5];
        }
        be->k_affine(be, &got, k_zero(), a, rows, 8, 64);
        ref->k_affine(ref, &want, k_zero(), a, rows, 8, 64);
        check_kvec(be, "k_affine", &got, &want);
    }
    assay_kvec_free(&x);
    assay_kvec_free(&got);
    assay_kvec_free(&want);
}

TEST(extremes_agree)
{
    for_each_setup(compare_extremes);
}

static void compare_eq(const assay_backend *ref, const assay_backend *be)
{
    for (unsigned n = 0; n <= 15; n++) {
        kel r[15], s = random_k();
        for (unsigned i = 0; i < n; i++) r[i] = i % 5 == 4 ? k_one() : random_k();
        assay_kvec got = new_kvec((size_t)1 << n), want = new_kvec((size_t)1 << n);
        be->k_eq(be, &got, s, r, n);
        ref->k_eq(ref, &want, s, r, n);
        check_kvec(be, "k_eq", &got, &want);
        assay_kvec_free(&got);
        assay_kvec_free(&want);
    }
}

TEST(eq_tables_agree)
{
    for_each_setup(compare_eq);
}

/* ---- what plain C computes is what backend.h says */

TEST(eq_is_the_product_formula)
{
    assay_backend be;
    kel r[5], s = random_k();
    assay_kvec v = new_kvec(32);
    assay_backend_cpu_init(&be, NULL);
    for (int i = 0; i < 5; i++) r[i] = random_k();
    be.k_eq(&be, &v, s, r, 5);
    for (size_t b = 0; b < 32; b++) {
        kel want = s;
        for (int i = 0; i < 5; i++) want = k_mul(want, b >> i & 1 ? r[i] : k_sub(k_one(), r[i]));
        CHECK(k_eq(kvec_get(&v, b), want));
    }
    assay_kvec_free(&v);
}

TEST(folding_binds_the_lowest_variable)
{
    assay_backend be;
    kel r[4];
    assay_kvec v = new_kvec(16), eq = new_kvec(16);
    assay_backend_cpu_init(&be, NULL);
    for (int i = 0; i < 4; i++) r[i] = random_k();
    be.k_eq(&be, &eq, k_one(), r, 4);
    kel want = be.k_dot(&be, &v, &eq, 16);
    for (unsigned i = 0; i < 4; i++) be.k_fold(&be, &v, &v, r[i], (size_t)8 >> i);
    CHECK(k_eq(kvec_get(&v, 0), want));
    /* An eq table whose lowest variable is summed out is the table of the other variables. */
    be.k_halve(&be, &eq, &eq, 8);
    be.k_eq(&be, &v, k_one(), r + 1, 3);
    for (size_t i = 0; i < 8; i++) CHECK(k_eq(kvec_get(&eq, i), kvec_get(&v, i)));
    assay_kvec_free(&v);
    assay_kvec_free(&eq);
}

TEST(fractions_add_up)
{
    assay_backend be;
    assay_kvec p = new_kvec(8), q = new_kvec(8), p1 = new_kvec(4), q1 = new_kvec(4);
    assay_backend_cpu_init(&be, NULL);
    for (size_t i = 0; i < 8; i++) kvec_set(&q, i, k_add_f(k_from_i64((int64_t)i), 1));
    be.frac_up(&be, &p1, &q1, &p, &q, 4);
    for (size_t i = 0; i < 4; i++) {
        kel a = k_mul(kvec_get(&p, 2 * i), k_inv(kvec_get(&q, 2 * i)));
        kel b = k_mul(kvec_get(&p, 2 * i + 1), k_inv(kvec_get(&q, 2 * i + 1)));
        CHECK(k_eq(k_add(a, b), k_mul(kvec_get(&p1, i), k_inv(kvec_get(&q1, i)))));
    }
    assay_kvec_free(&p);
    assay_kvec_free(&q);
    assay_kvec_free(&p1);
    assay_kvec_free(&q1);
}
