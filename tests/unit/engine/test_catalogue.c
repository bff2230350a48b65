/* SPDX-License-Identifier: Apache-2.0 */
/* ctest: uses support
 * Names, what they lead to, stamps, lists. The files are empty but for what is looked at. */
#define _POSIX_C_SOURCE 200809L
#include "engine/catalogue.h"
#include "harness.h"
#include "support/tree.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const assay_job_kind GROTH16 = ASSAY_JOB_GROTH16, REPLY = ASSAY_JOB_REPLY;

typedef struct place {
    char root[128], circuits[160], models[160];
    assay_catalogue *c;
} place;

static void put_key(const place *p, const char *path, uint8_t n_bytes)
{
    /* "zkey", version 1, one section of number 1 with n_bytes bytes */
    uint8_t file[24 + 255] = {'z', 'k', 'e', 'y', 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, n_bytes};
    char full[400];
    (void)snprintf(full, sizeof full, "%s%s", p->root, path);
    FILE *f = fopen(full, "we");
    if (!CHECK(f != NULL)) return;
    CHECK(fwrite(file, 1, 24u + n_bytes, f) == 24u + n_bytes);
    CHECK(fclose(f) == 0);
}

static const char *const parts[] = {"ID.txt",      "config/config.bin", "config/tokenizer.json", "ivk/ivk.bin",
                                    "isk/key.bin", "isk/counter",       "model/weights.bin",     "model/tree.bin"};
enum { PARTS = sizeof parts / sizeof *parts };

static void put_model(const place *p, const char *name)
{
    char path[300];
    for (size_t i = 0; i < PARTS; i++) {
        (void)snprintf(path, sizeof path, "/models/%s/%s", name, parts[i]);
        assay_tree_put(p->root, path, parts[i]);
    }
}

static void begin(place *p)
{
    assay_errinfo err = {0};
    (void)snprintf(p->root, sizeof p->root, "%s", assay_tree_new());
    (void)snprintf(p->circuits, sizeof p->circuits, "%s/circuits", p->root);
    (void)snprintf(p->models, sizeof p->models, "%s/models/", p->root);
    CHECK(mkdir(p->circuits, 0700) == 0 && mkdir(p->models, 0700) == 0);
    CHECK_OK(assay_catalogue_new(&p->c, p->circuits, p->models, &err));
}

static assay_status find(const place *p, assay_job_kind kind, const char *name, assay_subject_entry *e)
{
    static assay_errinfo err;
    err = (assay_errinfo){0};
    const assay_status s = assay_catalogue_find(p->c, kind, name, e, &err);
    CHECK((s == ASSAY_OK) == (err.reason == NULL));
    CHECK(s == ASSAY_OK || (!e->name[0] && !e->path[0] && e->stamp.inode == 0));
    return s;
}

TEST(a_circuit)
{
    place p;
    assay_subject_entry e;
    char want[400];
    begin(&p);
    put_key(&p, "/circuits/mul-2.v1_a.zkey", 3);
    CHECK_OK(find(&p, GROTH16, "mul-2.v1_a", &e));
    (void)snprintf(want, sizeof want, "%s/mul-2.v1_a.zkey", p.circuits);
    CHECK_EQ_STR(e.path, want);
    CHECK_EQ_STR(e.name, "mul-2.v1_a");
    CHECK(e.kind == ASSAY_JOB_GROTH16 && e.r1cs[0] == 0 && e.sym[0] == 0);
    CHECK_EQ_U64(e.stamp.n_bytes, 27);
    assay_tree_put(p.root, "/circuits/mul-2.v1_a.r1cs", "");
    assay_tree_put(p.root, "/circuits/mul-2.v1_a.sym", "");
    CHECK_OK(find(&p, GROTH16, "mul-2.v1_a", &e));
    (void)snprintf(want, sizeof want, "%s/mul-2.v1_a.r1cs", p.circuits);
    CHECK_EQ_STR(e.r1cs, want);
    (void)snprintf(want, sizeof want, "%s/mul-2.v1_a.sym", p.circuits);
    CHECK_EQ_STR(e.sym, want);
    assay_catalogue_free(p.c);
}

/* An .r1cs that cannot be read must not look as if there were none: the witness would go unchecked. */
TEST(a_link_to_nowhere_beside_a_key_is_told_of)
{
    place p;
    assay_subject_entry e;
    char path[400];
    begin(&p);
    put_key(&p, "/circuits/a.zkey", 0);
    (void)snprintf(path, sizeof path, "%s/a.r1cs", p.circuits);
    REQUIRE(symlink("/nowhere", path) == 0);
    CHECK_OK(find(&p, GROTH16, "a", &e));
    CHECK_EQ_STR(e.r1cs, path);
    assay_catalogue_free(p.c);
}

TEST(names_that_cannot_be)
{
    place p;
    assay_subject_entry e;
    char longest[ASSAY_JOB_SUBJECT + 2];
    begin(&p);
    assay_tree_put(p.root, "/x.zkey", "zkey");
    assay_tree_put(p.root, "/circuits/sub/y.zkey", "zkey");
    static const char *const bad[] = {"",     ".",    "..",  "../x",     "sub/y", "/etc/passwd", ".hidden", "a b",
                                      "a\\b", "a\nb", "a:b", "\xc3\xa9", "a%2fb", "a*",          "a\x01",   "a+b"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_STATUS(find(&p, GROTH16, bad[i], &e), ASSAY_ERANGE);
        CHECK_STATUS(find(&p, REPLY, bad[i], &e), ASSAY_ERANGE);
    }
    memset(longest, 'n', sizeof longest);
    longest[sizeof longest - 1] = 0;
    CHECK_STATUS(find(&p, GROTH16, longest, &e), ASSAY_ERANGE);
    longest[sizeof longest - 2] = 0;
    CHECK_STATUS(find(&p, GROTH16, longest, &e), ASSAY_EIO); /* may be, is not there */
    CHECK_STATUS(find(&p, REPLY, "x", &e), ASSAY_EIO);
    CHECK_STATUS(find(&p, ASSAY_JOB_POREP, "x", &e), ASSAY_EUNSUPPORTED);
    assay_catalogue_free(p.c);
}

TEST(what_is_not_there_says_where_was_looked)
{
    place p;
    assay_subject_entry e;
    assay_errinfo err = {0};
    char want[500], text[500];
    begin(&p);
    CHECK_STATUS(assay_catalogue_find(p.c, GROTH16, "no", &e, &err), ASSAY_EIO);
    (void)snprintf(want, sizeof want, "%s/no.zkey: no such circuit", p.circuits);
    CHECK_EQ_STR(assay_errinfo_text(&err, text, sizeof text), want);
    err = (assay_errinfo){0};
    CHECK_STATUS(assay_catalogue_find(p.c, REPLY, "no", &e, &err), ASSAY_EIO);
    (void)snprintf(want, sizeof want, "%s/models/no: no such model", p.root);
    CHECK_EQ_STR(assay_errinfo_text(&err, text, sizeof text), want);
    assay_catalogue_free(p.c);

    err = (assay_errinfo){0};
    REQUIRE_OK(assay_catalogue_new(&p.c, "", "", &err));
    CHECK_STATUS(assay_catalogue_find(p.c, GROTH16, "no", &e, &err), ASSAY_EIO);
    CHECK(strstr(assay_errinfo_text(&err, text, sizeof text), "paths.circuits"));
    assay_catalogue_free(p.c);
    CHECK_STATUS(assay_catalogue_new(&p.c, NULL, "", &err), ASSAY_EINVAL);
}

TEST(links_are_followed_and_other_things_are_not_keys)
{
    place p;
    assay_subject_entry e, f;
    char path[400];
    begin(&p);
    put_key(&p, "/key", 9);
    (void)snprintf(path, sizeof path, "%s/linked.zkey", p.circuits);
    REQUIRE(symlink("../key", path) == 0);
    CHECK_OK(find(&p, GROTH16, "linked", &e));
    CHECK_EQ_U64(e.stamp.n_bytes, 33);
    put_key(&p, "/key", 10); /* the file behind the link is what is stamped */
    CHECK_OK(find(&p, GROTH16, "linked", &f));
    CHECK_EQ_U64(f.stamp.n_bytes, 34);

    (void)snprintf(path, sizeof path, "%s/nowhere.zkey", p.circuits);
    REQUIRE(symlink("/nowhere", path) == 0);
    CHECK_STATUS(find(&p, GROTH16, "nowhere", &e), ASSAY_EIO);
    (void)snprintf(path, sizeof path, "%s/pipe.zkey", p.circuits);
    REQUIRE(mkfifo(path, 0600) == 0);
    CHECK_STATUS(find(&p, GROTH16, "pipe", &e), ASSAY_EIO); /* and does not hang */
    (void)snprintf(path, sizeof path, "%s/folder.zkey", p.circuits);
    REQUIRE(mkdir(path, 0700) == 0);
    CHECK_STATUS(find(&p, GROTH16, "folder", &e), ASSAY_EIO);
    assay_tree_put(p.root, "/circuits/text.zkey", "a text of more than a few bytes");
    CHECK_STATUS(find(&p, GROTH16, "text", &e), ASSAY_EFORMAT);
    assay_tree_put(p.root, "/circuits/empty.zkey", "");
    CHECK_STATUS(find(&p, GROTH16, "empty", &e), ASSAY_EFORMAT);
    assay_catalogue_free(p.c);
}

static bool same(const assay_file_stamp *a, const assay_file_stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->n_bytes == b->n_bytes &&
           a->modified_ns == b->modified_ns && a->changed_ns == b->changed_ns;
}

TEST(a_key_replaced_is_another_stamp)
{
    place p;
    assay_subject_entry e, f;
    char from[400], to[400];
    begin(&p);
    put_key(&p, "/circuits/a.zkey", 1);
    CHECK_OK(find(&p, GROTH16, "a", &e));
    CHECK_OK(find(&p, GROTH16, "a", &f));
    CHECK(same(&e.stamp, &f.stamp));
    /* another file of the same length and time under the same name */
    put_key(&p, "/b", 1);
    (void)snprintf(from, sizeof from, "%s/b", p.root);
    (void)snprintf(to, sizeof to, "%s/a.zkey", p.circuits);
    struct stat st;
    REQUIRE(stat(to, &st) == 0);
    const struct timespec times[2] = {st.st_atim, st.st_mtim};
    REQUIRE(utimensat(AT_FDCWD, from, times, 0) == 0 && rename(from, to) == 0);
    CHECK_OK(find(&p, GROTH16, "a", &f));
    CHECK_EQ_U64(e.stamp.modified_ns, f.stamp.modified_ns);
    CHECK(!same(&e.stamp, &f.stamp));
    assay_catalogue_free(p.c);
}

TEST(a_model)
{
    place p;
    assay_subject_entry e, f;
    char path[400];
    begin(&p);
    put_model(&p, "tiny");
    CHECK_OK(find(&p, REPLY, "tiny", &e));
    (void)snprintf(path, sizeof path, "%s/models/tiny", p.root);
    CHECK_EQ_STR(e.path, path);
    CHECK(e.kind == ASSAY_JOB_REPLY && e.r1cs[0] == 0);
    CHECK_EQ_U64(e.stamp.n_bytes, strlen("isk/key.bin") + strlen("model/weights.bin"));
    CHECK_OK(find(&p, REPLY, "tiny", &f));
    CHECK(same(&e.stamp, &f.stamp));
    assay_tree_put(p.root, "/models/tiny/isk/counter", "another proof"); /* grows with every proof: not another model */
    CHECK_OK(find(&p, REPLY, "tiny", &f));
    CHECK(same(&e.stamp, &f.stamp));
    static const char *const stamped[] = {"isk/key.bin", "model/weights.bin"};
    for (size_t i = 0; i < 2; i++) {
        const struct timespec times[2] = {{.tv_sec = 1000 + (time_t)i}, {.tv_sec = 1000 + (time_t)i}};
        (void)snprintf(path, sizeof path, "%s/models/tiny/%s", p.root, stamped[i]);
        REQUIRE(utimensat(AT_FDCWD, path, times, 0) == 0);
        CHECK_OK(find(&p, REPLY, "tiny", &f));
        CHECK(!same(&e.stamp, &f.stamp));
        e = f;
    }
    assay_catalogue_free(p.c);
}

TEST(a_model_with_a_part_missing)
{
    place p;
    assay_subject_entry e;
    char path[400];
    begin(&p);
    for (size_t i = 0; i < PARTS; i++) {
        put_model(&p, "m");
        (void)snprintf(path, sizeof path, "%s/models/m/%s", p.root, parts[i]);
        REQUIRE(unlink(path) == 0);
        CHECK_STATUS(find(&p, REPLY, "m", &e), ASSAY_EFORMAT);
    }
    put_model(&p, "m");
    CHECK_OK(find(&p, REPLY, "m", &e));
    assay_tree_put(p.root, "/models/file", "");
    CHECK_STATUS(find(&p, REPLY, "file", &e), ASSAY_EFORMAT);
    assay_catalogue_free(p.c);
}

/* ---- lists */

enum { MAX = 6 };
static assay_subject_entry listed[MAX];

static size_t list(const place *p, assay_job_kind kind, size_t max)
{
    assay_errinfo err = {0};
    size_t n = 77;
    CHECK_OK(assay_catalogue_list(p->c, kind, listed, max, &n, &err));
    return n;
}

TEST(lists_are_sorted_and_bounded)
{
    place p;
    char path[64];
    begin(&p);
    CHECK_EQ_U64(list(&p, GROTH16, MAX), 0);
    for (unsigned i = 0; i < 40; i++) {
        (void)snprintf(path, sizeof path, "/circuits/c%02u.zkey", (i * 17 + 5) % 40);
        put_key(&p, path, 0);
    }
    assay_tree_put(p.root, "/circuits/c05.r1cs", "");
    assay_tree_put(p.root, "/circuits/.hidden.zkey", "");
    assay_tree_put(p.root, "/circuits/b lank.zkey", "");
    assay_tree_put(p.root, "/circuits/.zkey", "");
    assay_tree_put(p.root, "/circuits/readme", "");
    CHECK_EQ_U64(list(&p, GROTH16, MAX), 40);
    CHECK_EQ_STR(listed[0].name, "c00");
    CHECK_EQ_STR(listed[MAX - 1].name, "c05");
    CHECK(strstr(listed[MAX - 1].r1cs, "/c05.r1cs") && !listed[0].r1cs[0]);
    assay_tree_put(p.root, "/circuits/aaa.zkey", "not a key at all"); /* left out */
    CHECK_EQ_U64(list(&p, GROTH16, MAX), 40);
    CHECK_EQ_STR(listed[0].name, "c00");
    CHECK_EQ_STR(listed[MAX - 2].name, "c04");
    CHECK_EQ_U64(list(&p, REPLY, MAX), 0);
    assay_catalogue_free(p.c);
}

TEST(a_list_of_models)
{
    place p;
    begin(&p);
    put_model(&p, "b");
    put_model(&p, "a");
    assay_tree_put(p.root, "/models/half/ID.txt", "");
    assay_tree_put(p.root, "/models/file", "");
    CHECK_EQ_U64(list(&p, REPLY, MAX), 2);
    CHECK_EQ_STR(listed[0].name, "a");
    CHECK_EQ_STR(listed[1].name, "b");
    assay_catalogue_free(p.c);
}

TEST(folders_that_are_missing_or_not_folders)
{
    place p;
    assay_errinfo err = {0};
    size_t n = 77;
    begin(&p);
    REQUIRE(rmdir(p.circuits) == 0);
    CHECK_EQ_U64(list(&p, GROTH16, MAX), 0);
    assay_tree_put(p.root, "/circuits", "");
    CHECK_STATUS(assay_catalogue_list(p.c, GROTH16, listed, MAX, &n, &err), ASSAY_EIO);
    CHECK_EQ_U64(n, 0);
    assay_catalogue_free(p.c);
}

TEST(folders_with_too_much_in_them)
{
    place p;
    assay_errinfo err = {0};
    char path[200];
    size_t n = 77;
    begin(&p);
    for (unsigned i = 0; i <= 1 << 16; i++) { /* links to one file: the quickest to make */
        (void)snprintf(path, sizeof path, "%s/%u", p.circuits, i);
        REQUIRE(symlink("x", path) == 0);
    }
    CHECK_STATUS(assay_catalogue_list(p.c, GROTH16, listed, MAX, &n, &err), ASSAY_ERANGE);
    CHECK_EQ_U64(n, 0);
    assay_catalogue_free(p.c);
}
