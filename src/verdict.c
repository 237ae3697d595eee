/* The verdict on a file and on a patch, and the applier. */
#include "verdict.h"
#include "hunk.h"
#include "match.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"clean", "offset", "fuzz", "merged", "near merge", "partly merged", "conflict", "not applicable"};

const char *verdict_name(enum verdict verdict) { return names[verdict]; }

int verdict_exit(enum verdict verdict)
{
    static const int codes[] = {EXIT_CLEAN, EXIT_REFRESH, EXIT_REFRESH, EXIT_MERGED, EXIT_MERGED, EXIT_MERGED, EXIT_CONFLICT, EXIT_NOT_APPLICABLE};
    return codes[verdict];
}

static enum verdict worst(enum verdict a, enum verdict b) { return a > b ? a : b; }

/* The single hunk of a created or deleted file against the file itself. */
static bool same_content(const struct hunk *hunk, char drop, const struct tree_file *file)
{
    struct lines image = hunk_image(hunk, drop), text = lines_split(file->data, file->size);
    bool same = image.count == text.count && match_find(&text, image, 0, text.count, 0).found;
    free(image.at);
    free(text.at);
    return same;
}

/* One group for all lines, so that a whole file counts like a hunk. */
static void whole_file(const struct file_diff *diff, struct file_result *r, enum verdict verdict, char *note)
{
    r->verdict = verdict;
    r->note = note;
    for (size_t i = 0; i < diff->count; i++) {
        struct hunk_result *h = &r->hunks[i];
        h->verdict = verdict;
        for (size_t l = 0; l < diff->hunks[i].count; l++) {
            h->added += diff->hunks[i].lines[l].kind == '+';
            h->removed += diff->hunks[i].lines[l].kind == '-';
        }
        h->groups = xcalloc(1, sizeof(*h->groups));
        h->count = 1;
        h->groups[0] = (struct group){.to = diff->hunks[i].count, .replaces = h->removed, .state = verdict == MERGED ? DONE : verdict == CLEAN ? OPEN : UNKNOWN};
        h->added_there = verdict == MERGED ? h->added : 0;
        h->removed_gone = verdict == MERGED ? h->removed : 0;
    }
}

static void judge_file(const struct patch *patch, const struct file_diff *diff, struct file_result *r, const struct tree *target, const struct tree *old)
{
    const struct tree_file *file = tree_find(target, diff->old_path);
    const struct tree_file *renamed = diff->change == RENAME ? tree_find(target, diff->new_path) : NULL;
    r->count = diff->count;
    r->hunks = xcalloc(diff->count, sizeof(*r->hunks));
    if (diff->change == CREATE) {
        if (!file)
            whole_file(diff, r, CLEAN, NULL);
        else if (same_content(&diff->hunks[0], '-', file))
            whole_file(diff, r, MERGED, xasprintf("%s is there, with the same content", diff->new_path));
        else
            whole_file(diff, r, CONFLICT, xasprintf("%s is there already, with other content", diff->new_path));
        return;
    }
    if (diff->change == DELETE && !file && (!old || tree_find(old, diff->old_path))) {
        whole_file(diff, r, MERGED, xasprintf("%s is gone", diff->old_path));
        return;
    }
    if (diff->change == DELETE && file) {
        bool same = same_content(&diff->hunks[0], '+', file);
        whole_file(diff, r, same ? CLEAN : CONFLICT, same ? NULL : xasprintf("%s, to be deleted, has other content", diff->old_path));
        return;
    }
    if (file && renamed) {
        whole_file(diff, r, CONFLICT, xasprintf("%s, which %s is to be renamed to, is there already", diff->new_path, diff->old_path));
        return;
    }
    if (!file && !renamed) {
        const char *other = tree_elsewhere(target, diff->old_path);
        whole_file(diff, r, NOT_APPLICABLE, other ? xasprintf("%s is not there (but %s is)", diff->old_path, other)
                                                  : xasprintf("%s is not there", diff->old_path));
        return;
    }
    if (renamed) {
        file = renamed;
        r->note = xasprintf("%s has the name %s already", diff->old_path, diff->new_path);
        r->verdict = MERGED;
    }
    const struct tree_file *before = old ? tree_find(old, diff->old_path) : NULL;
    struct lines text = lines_split(file->data, file->size);
    struct lines old_text = before ? lines_split(before->data, before->size) : (struct lines){0};
    long delta = 0;
    for (size_t i = 0; i < diff->count; i++) {
        check_interrupt();
        judge_hunk(patch, diff, i, &text, before ? &old_text : NULL, delta, &r->hunks[i]);
        if (r->hunks[i].verdict == CLEAN || r->hunks[i].verdict == OFFSET || r->hunks[i].verdict == FUZZ)
            delta = r->hunks[i].offset;
        r->verdict = i || renamed ? worst(r->verdict, r->hunks[i].verdict) : r->hunks[i].verdict;
    }
    free(text.at);
    free(old_text.at);
}

/* A patch is merged when all of it is.  Where upstream changed all the code
 * that it replaces, and what is left only adds (helpers, comments), it is a
 * near merge; otherwise a part of it is merged. */
static enum verdict sum_up(const struct patch_result *r)
{
    size_t all = 0, done = 0, near = 0, part = 0, replacing = 0, replaced = 0, hunks = 0, unfit = 0, conflicts = 0;
    enum verdict plain = CLEAN;
    for (size_t f = 0; f < r->count; f++) {
        const struct file_result *file = &r->files[f];
        if (!file->count) { /* a rename without hunks */
            all++, hunks++;
            done += file->verdict == MERGED;
            unfit += file->verdict == NOT_APPLICABLE;
            conflicts += file->verdict == CONFLICT;
        }
        for (size_t h = 0; h < file->count; h++) {
            const struct hunk_result *hunk = &file->hunks[h];
            hunks++;
            unfit += hunk->verdict == NOT_APPLICABLE;
            conflicts += hunk->verdict == CONFLICT;
            if (hunk->verdict <= FUZZ)
                plain = worst(plain, hunk->verdict);
            for (size_t g = 0; g < hunk->count; g++) {
                enum state state = hunk->groups[g].state;
                all++;
                done += state == DONE;
                near += state == NEAR;
                part += state == PART;
                replacing += hunk->groups[g].replaces;
                replaced += hunk->groups[g].replaces && (state == DONE || state == NEAR);
            }
        }
    }
    if (unfit && unfit + conflicts == hunks)
        return NOT_APPLICABLE;
    if (unfit || conflicts)
        return CONFLICT;
    if (done == all)
        return MERGED;
    if (near && replaced == replacing)
        return NEAR_MERGE;
    return done || near || part ? PARTLY_MERGED : plain;
}

struct patch_result *judge(const struct patch *patch, const struct tree *target, const struct tree *old)
{
    struct patch_result *r = xcalloc(1, sizeof(*r));
    r->count = patch->count;
    r->files = xcalloc(patch->count, sizeof(*r->files));
    for (size_t i = 0; i < patch->count; i++) {
        judge_file(patch, &patch->files[i], &r->files[i], target, old);
        for (size_t h = 0; h < r->files[i].count; h++) {
            const struct hunk_result *hunk = &r->files[i].hunks[h];
            if (hunk->verdict == OFFSET && labs(hunk->offset) > labs(r->offset))
                r->offset = hunk->offset;
            if (hunk->verdict == FUZZ && hunk->fuzz > r->fuzz)
                r->fuzz = hunk->fuzz;
        }
    }
    r->verdict = sum_up(r);
    return r;
}

void result_free(struct patch_result *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->count; i++) {
        for (size_t h = 0; h < r->files[i].count; h++) {
            free(r->files[i].hunks[h].note);
            for (size_t g = 0; g < r->files[i].hunks[h].count; g++)
                free(r->files[i].hunks[h].groups[g].upstream);
            free(r->files[i].hunks[h].groups);
        }
        free(r->files[i].hunks);
        free(r->files[i].note);
    }
    free(r->files);
    free(r);
}

static bool applies(const struct hunk_result *r) { return r->verdict == CLEAN || r->verdict == OFFSET; }

/* The file's content with those hunks; false: not all of them. */
static bool apply_hunks(const struct file_diff *diff, const struct file_result *r, const struct tree_file *file, struct buf *out)
{
    struct lines text = lines_split(file->data, file->size);
    size_t at = 0;
    bool all = true;
    for (size_t h = 0; h < diff->count; h++) {
        const struct hunk *hunk = &diff->hunks[h];
        size_t start = r->hunks[h].line - 1;
        if (!applies(&r->hunks[h]) || start < at) {
            all = false;
            continue;
        }
        for (; at < start; at++)
            buf_add(out, text.at[at].at, text.at[at].size);
        for (size_t i = 0; i < hunk->count; i++) {
            if (hunk->lines[i].kind != '-')
                buf_add(out, hunk->lines[i].text.at, hunk->lines[i].text.size);
            at += hunk->lines[i].kind != '+';
        }
    }
    for (; at < text.count; at++)
        buf_add(out, text.at[at].at, text.at[at].size);
    buf_add(out, "", 0);
    free(text.at);
    return all;
}

bool apply(const struct patch *patch, const struct patch_result *result, struct tree *target)
{
    bool all = true;
    for (size_t i = 0; i < patch->count; i++) {
        const struct file_diff *diff = &patch->files[i];
        const struct file_result *r = &result->files[i];
        struct buf out = {0};
        if (diff->change == CREATE || diff->change == DELETE) {
            if (r->verdict != CLEAN) {
                all = false;
            } else if (diff->change == DELETE) {
                tree_remove(target, diff->old_path);
            } else {
                struct tree_file empty = {0};
                struct hunk_result at_start = {.verdict = CLEAN, .line = 1};
                struct file_result clean = {.hunks = &at_start, .count = 1};
                apply_hunks(diff, &clean, &empty, &out);
                tree_put(target, diff->new_path, out.data, out.size, 0644);
            }
            continue;
        }
        const struct tree_file *file = tree_find(target, diff->old_path);
        if (!file || (diff->change == RENAME && r->verdict != CLEAN && r->verdict != OFFSET)) {
            all = false;
            continue;
        }
        mode_t mode = file->mode;
        all &= apply_hunks(diff, r, file, &out);
        if (diff->change == RENAME)
            tree_remove(target, diff->old_path);
        tree_put(target, diff->new_path, out.data, out.size, mode);
    }
    return all;
}

void must_be_made_for(const struct series *series, const struct tree *tree, const char *name)
{
    struct tree *target = tree_copy(tree), *old = tree_copy(tree);
    struct patch_result **results = judge_series(series, target, old);
    for (size_t i = 0; i < series->count; i++)
        if (results[i]->verdict != CLEAN)
            die(EXIT_INPUT, "--old %s is not the release that %s was made for: %s does not apply there as it is (%s)", name, series->name,
                series->patches[i]->name, verdict_name(results[i]->verdict));
    results_free(results, series->count);
    tree_free(target);
    tree_free(old);
}

struct patch_result **judge_series(const struct series *series, struct tree *target, struct tree *old)
{
    struct patch_result **results = xcalloc(series->count, sizeof(*results));
    for (size_t i = 0; i < series->count; i++) {
        results[i] = judge(series->patches[i], target, old);
        apply(series->patches[i], results[i], target);
        if (!old)
            continue;
        struct patch_result *own = judge(series->patches[i], old, old);
        apply(series->patches[i], own, old);
        result_free(own);
    }
    return results;
}

void results_free(struct patch_result **results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        result_free(results[i]);
    free(results);
}

enum verdict worst_verdict(struct patch_result *const *results, size_t count)
{
    enum verdict all = CLEAN;
    for (size_t i = 0; i < count; i++)
        all = worst(all, results[i]->verdict);
    return all;
}
