/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sweep.h"
#include "base/write_text.h"
#include <math.h>

static const double mib = 1048576, gib = 1073741824;

assay_sweep_fit assay_sweep_fit_of(const assay_sweep *s, unsigned gpu_workers)
{
    assay_sweep_fit f = {0};
    double sx = 0, sy = 0, sxx = 0, sxy = 0, squares = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (gpu_workers && s->at[i].gpu_workers != gpu_workers) continue;
        const double x = s->at[i].partition_workers, y = (double)s->at[i].peak;
        f.n++;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    if (f.n == 0) return f;
    const double n = (double)f.n, spread = n * sxx - sx * sx;
    f.slope = spread > 0.5 ? (n * sxy - sx * sy) / spread : 0;
    f.baseline = (sy - f.slope * sx) / n;
    for (size_t i = 0; i < s->n; i++) {
        if (gpu_workers && s->at[i].gpu_workers != gpu_workers) continue;
        const double off = (double)s->at[i].peak - f.baseline - f.slope * s->at[i].partition_workers;
        squares += off * off;
        if (fabs(off) > f.worst) f.worst = fabs(off);
    }
    f.residual = sqrt(squares / n);
    return f;
}

const assay_sweep_point *assay_sweep_advise(const assay_sweep *s, uint64_t ram)
{
    const assay_sweep_point *best = NULL;
    double quickest = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->at[i].completed && (double)s->at[i].peak <= 0.9 * (double)ram && s->at[i].per_hour > quickest)
            quickest = s->at[i].per_hour;
    for (size_t i = 0; i < s->n; i++) {
        const assay_sweep_point *p = &s->at[i];
        if (p->completed == 0 || (double)p->peak > 0.9 * (double)ram || p->per_hour < 0.99 * quickest) continue;
        if (!best || p->peak < best->peak) best = p;
    }
    return best;
}

/* ---- table and CSV */

static void write_fit(assay_writer *w, const assay_sweep *s, unsigned gpu_workers)
{
    const assay_sweep_fit f = assay_sweep_fit_of(s, gpu_workers);
    assay_write_text(w, "- ");
    if (gpu_workers)
        assay_write_text(w, "%u GPU worker%s: ", gpu_workers, gpu_workers == 1 ? "" : "s");
    else
        assay_write_text(w, "all: ");
    assay_write_text(w,
                     "peak = %.1f MiB + %.1f MiB x partition workers; residual %.1f MiB (most %.1f MiB), %zu points\n",
                     f.baseline / mib, f.slope / mib, f.residual / mib, f.worst / mib, f.n);
}

/* Calls fn for each number of GPU workers once. */
static void each_gpu_workers(const assay_sweep *s, void (*fn)(void *ctx, unsigned gpu_workers), void *ctx)
{
    for (size_t i = 0; i < s->n; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++) seen = seen || s->at[k].gpu_workers == s->at[i].gpu_workers;
        if (!seen) fn(ctx, s->at[i].gpu_workers);
    }
}

typedef struct fits {
    const assay_sweep *s;
    assay_writer *w;
    unsigned n;
} fits;

static void fit_one(void *ctx, unsigned gpu_workers)
{
    fits *f = ctx;
    f->n++;
    write_fit(f->w, f->s, gpu_workers);
}

static void write_advice(assay_writer *w, const assay_sweep *s)
{
    static const unsigned sizes[] = {1, 2, 4, 8, 16, 32, 64, 96, 128, 256, 384, 512, 768};
    assay_write_text(
        w, "\n| memory of the machine (GiB) | partition workers | GPU workers | peak (MiB) | proofs an hour |\n"
           "|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const assay_sweep_point *p = assay_sweep_advise(s, (uint64_t)sizes[i] << 30);
        if (p)
            assay_write_text(w, "| %u | %u | %u | %.1f | %.1f |\n", sizes[i], p->partition_workers, p->gpu_workers,
                             (double)p->peak / mib, p->per_hour);
        else
            assay_write_text(w, "| %u | none that was measured fits | | | |\n", sizes[i]);
    }
}

void assay_sweep_table(const assay_sweep *s, assay_writer *w)
{
    fits f = {s, w, 0};
    assay_write_text(w,
                     "| partition workers | GPU workers | peak (MiB) | GPU memory | seconds a proof | proofs an hour | "
                     "proofs | failed |\n|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < s->n; i++)
        assay_write_text(w, "| %u | %u | %.1f | none | %.3f | %.1f | %zu | %zu |\n", s->at[i].partition_workers,
                         s->at[i].gpu_workers, (double)s->at[i].peak / mib, s->at[i].seconds_per_proof,
                         s->at[i].per_hour, s->at[i].completed, s->at[i].failed);
    assay_write_text(w, "\n");
    each_gpu_workers(s, fit_one, &f);
    if (f.n > 1) write_fit(w, s, 0);
    write_advice(w, s);
}

void assay_sweep_csv(const assay_sweep *s, assay_writer *w)
{
    assay_write_text(w,
                     "partition_workers,gpu_workers,peak_bytes,seconds_per_proof,proofs_per_hour,completed,failed\n");
    for (size_t i = 0; i < s->n; i++)
        assay_write_text(w, "%u,%u,%llu,%.6f,%.3f,%zu,%zu\n", s->at[i].partition_workers, s->at[i].gpu_workers,
                         (unsigned long long)s->at[i].peak, s->at[i].seconds_per_proof, s->at[i].per_hour,
                         s->at[i].completed, s->at[i].failed);
}

/* ---- picture: memory on the left, proofs an hour on the right, over partition workers */

enum { WIDTH = 860, HEIGHT = 360, LEFT = 60, TOP = 50, PANEL = 340, GAP = 80, DEEP = 250 };

typedef struct panel {
    assay_writer *w;
    const assay_sweep *s;
    double x0, most_x, most_y, unit;
    bool memory;
    unsigned n;
} panel;

static const char *color_of(unsigned i)
{
    static const char *const colors[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf"};
    return colors[i % (sizeof colors / sizeof *colors)];
}

static double value_of(const panel *p, const assay_sweep_point *at)
{
    return p->memory ? (double)at->peak / p->unit : at->per_hour;
}
static double x_of(const panel *p, double v)
{
    return p->x0 + PANEL * v / p->most_x;
}
static double y_of(const panel *p, double v)
{
    return TOP + DEEP * (1 - v / p->most_y);
}

/* 1, 2 or 5 times a power of ten, so that about five steps reach v. */
static double step_of(double v)
{
    const double power = pow(10, floor(log10(v / 5)));
    const double m = v / 5 / power;
    return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

static void draw_axes(const panel *p, const char *title)
{
    const double step = step_of(p->most_y);
    assay_write_text(p->w, "<text x=\"%.1f\" y=\"%d\" font-weight=\"bold\">%s</text>\n", p->x0, TOP - 10, title);
    const unsigned n_steps = (unsigned)floor(1.0001 * p->most_y / step);
    for (unsigned i = 0; i <= n_steps; i++) {
        const double v = step * i;
        assay_write_text(p->w,
                         "<path d=\"M%.1f %.1fh%d\" stroke=\"#ccc\"/><text x=\"%.1f\" y=\"%.1f\" "
                         "text-anchor=\"end\">%g</text>\n",
                         p->x0, y_of(p, v), PANEL, p->x0 - 6, y_of(p, v) + 4, v);
    }
    for (size_t i = 0; i < p->s->n; i++)
        assay_write_text(p->w, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%u</text>\n",
                         x_of(p, p->s->at[i].partition_workers), TOP + DEEP + 18, p->s->at[i].partition_workers);
    assay_write_text(p->w, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">partition workers</text>\n",
                     p->x0 + PANEL / 2.0, TOP + DEEP + 36);
}

static void draw_line(void *ctx, unsigned gpu_workers)
{
    panel *p = ctx;
    const char *color = color_of(p->n);
    const assay_sweep_fit f = assay_sweep_fit_of(p->s, gpu_workers);
    if (p->memory && f.slope != 0)
        assay_write_text(p->w, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-dasharray=\"4 3\"/>\n",
                         x_of(p, 0), y_of(p, f.baseline / p->unit), x_of(p, p->most_x),
                         y_of(p, (f.baseline + f.slope * p->most_x) / p->unit), color);
    assay_write_text(p->w, "<g stroke=\"%s\" fill=\"%s\">", color, color);
    for (size_t i = 0; i < p->s->n; i++)
        if (p->s->at[i].gpu_workers == gpu_workers)
            assay_write_text(p->w, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>", x_of(p, p->s->at[i].partition_workers),
                             y_of(p, value_of(p, &p->s->at[i])));
    assay_write_text(p->w, "</g>\n");
    if (p->memory)
        assay_write_text(p->w, "<text x=\"%.1f\" y=\"%d\" fill=\"%s\">%u GPU worker%s</text>\n",
                         (double)LEFT + 130.0 * p->n, HEIGHT - 8, color, gpu_workers, gpu_workers == 1 ? "" : "s");
    p->n++;
}

static void draw_panel(assay_writer *w, const assay_sweep *s, bool memory)
{
    panel p = {.w = w, .s = s, .x0 = memory ? LEFT : LEFT + PANEL + GAP, .memory = memory, .unit = mib};
    p.most_x = p.most_y = 1e-9;
    for (size_t i = 0; i < s->n; i++)
        if (memory && (double)s->at[i].peak > 4 * gib) p.unit = gib;
    for (size_t i = 0; i < s->n; i++) {
        p.most_x = fmax(p.most_x, s->at[i].partition_workers);
        p.most_y = fmax(p.most_y, 1.1 * value_of(&p, &s->at[i]));
    }
    draw_axes(&p, !memory ? "proofs an hour" : p.unit > mib ? "peak memory, GiB" : "peak memory, MiB");
    each_gpu_workers(s, draw_line, &p);
}

void assay_sweep_svg(const assay_sweep *s, const char *title, assay_writer *w)
{
    assay_write_text(w,
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
                     "font-size=\"12\" fill=\"none\">\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n<g "
                     "fill=\"#222\">\n<text x=\"%d\" y=\"20\" font-size=\"15\">",
                     WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT);
    assay_write_xml(w, title);
    assay_write_text(w, "</text>\n");
    draw_panel(w, s, true);
    draw_panel(w, s, false);
    assay_write_text(w, "</g>\n</svg>\n");
}
