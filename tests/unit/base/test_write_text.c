/* SPDX-License-Identifier: Apache-2.0 */
/* printf into a writer: what fits, what does not; markup. */
#include "base/write_text.h"
#include "harness.h"
#include <string.h>

TEST(text_is_appended_without_its_zero)
{
    assay_writer w;
    assay_writer_init(&w, 100);
    assay_write_text(&w, "%s-%u", "ab", 12u);
    assay_write_text(&w, "%%");
    REQUIRE(!w.bad && w.n == 6);
    CHECK_EQ_MEM(w.p, "ab-12%", 6);
    assay_writer_clear(&w);
}

TEST(what_is_too_long_is_never_cut)
{
    char text[4097];
    assay_writer w;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    assay_writer_init(&w, 10000);
    assay_write_text(&w, "%s", text);
    CHECK(w.bad && w.n == 0);
    assay_writer_clear(&w);
    assay_writer_init(&w, 10000);
    assay_write_text(&w, "%s", text + 1);
    CHECK(!w.bad && w.n == 4095);
    assay_writer_clear(&w);
}

TEST(markup)
{
    static const char want[] = "a &lt;b c=&quot;d&quot;&gt; &amp; e";
    assay_writer w;
    assay_writer_init(&w, 100);
    assay_write_xml(&w, "a <b c=\"d\"> & e");
    REQUIRE(!w.bad && w.n == sizeof want - 1);
    CHECK_EQ_MEM(w.p, want, w.n);
    assay_writer_clear(&w);
}
