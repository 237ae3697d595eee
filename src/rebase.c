/* Decides what becomes of each patch on another release. */
#include "rebase.h"
#include "match.h"
#include "merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void add(struct outcomes *outcomes, const char *name, char *text, size_t size, bool dropped)
{
    outcomes->at = xrealloc(outcomes->at, outcomes->count + 1, sizeof(*outcomes->at));
    outcomes->at[outcomes->count++] = (struct outcome){xstrdup(name), text, size, dropped};
}

void outcomes_free(struct outcomes *outcomes)
{
    for (size_t i = 0; i < outcomes->count; i++) {
        free(outcomes->at[i].name);
        free(outcomes->at[i].text);
    }
    free(outcomes->at);
    *outcomes = (struct outcomes){0};
}

/* A merged patch stays as a file, out of series, and says which release has it. */
static void drop(const struct rebase *rebase, struct outcomes *outcomes, const struct patch *patch)
{
    struct buf text = {0};
    char *header = header_with(patch, "Applied-Upstream", rebase->version);
    buf_puts(&text, header);
    buf_add(&text, patch->data + patch->header, patch->size - patch->header);
    free(header);
    add(outcomes, patch->name, text.data, text.size, true);
    printf("  %s: merged in %s, dropped from series\n", patch->name, rebase->version);
}

/* Does upstream have any of it?  Then no merge may decide. */
static bool partly_there(const struct patch_result *r)
{
    for (size_t f = 0; f < r->count; f++)
        for (size_t h = 0; h < r->files[f].count; h++)
            for (size_t g = 0; g < r->files[f].hunks[h].count; g++) {
                enum state state = r->files[f].hunks[h].groups[g].state;
                if (state == DONE || state == NEAR || state == PART)
                    return true;
            }
    return false;
}

/* Merges each file of the patch: `after` is the old tree with it, `merged`
 * becomes the new tree with it.  True: without conflict. */
static bool merge_patch(const struct rebase *rebase, const struct patch *patch, const struct tree *old, const struct tree *after, struct tree *merged)
{
    bool all = true;
    for (size_t i = 0; i < patch->count; i++) {
        const struct file_diff *diff = &patch->files[i];
        const struct tree_file *base = tree_find(old, diff->old_path), *theirs = tree_find(after, diff->new_path);
        const struct tree_file *ours = tree_find(merged, diff->old_path);
        if (!ours && diff->change == RENAME)
            ours = tree_find(merged, diff->new_path);
        mode_t mode = ours ? ours->mode : theirs ? theirs->mode : 0644;
        bool clean;
        size_t size;
        char *text = merge_file(base, ours, theirs, rebase->version, patch->name, &size, &clean);
        all &= clean && diff->change == MODIFY;
        if (diff->change == RENAME)
            tree_remove(merged, diff->old_path);
        tree_put(merged, diff->new_path, text, size, mode);
    }
    return all;
}

/* The header of the patch and the diffs from one tree to another; nothing but
 * NULL where they are equal. */
static char *write_patch(const struct patch *patch, const struct tree *from, const struct tree *to, size_t *size)
{
    struct buf out = {0};
    struct strings done = {0};
    buf_add(&out, patch->data, patch->header);
    size_t header = out.size;
    for (size_t i = 0; i < patch->count; i++) {
        const char *paths[] = {patch->files[i].old_path, patch->files[i].new_path};
        for (int p = 0; p < 2; p++) {
            if (strings_have(&done, paths[p]))
                continue;
            strings_add(&done, paths[p]);
            diff_files(&out, paths[p], tree_find(from, paths[p]), tree_find(to, paths[p]));
        }
    }
    strings_free(&done);
    *size = out.size;
    if (out.size > header)
        return out.data;
    buf_free(&out);
    return NULL;
}

static void save_files(const char *folder, const char *shown, const struct patch *patch, const struct tree *tree)
{
    for (size_t i = 0; i < patch->count; i++) {
        const struct tree_file *file = tree_find(tree, patch->files[i].new_path);
        if (!file)
            continue;
        char *path = xasprintf("%s/%s", folder, file->path), *slash = strrchr(path, '/');
        *slash = '\0';
        make_folders(path);
        *slash = '/';
        write_file(path, file->data, file->size);
        size_t line = conflict_line(file->data, file->size);
        if (line)
            printf("    conflict: %s/%s:%zu\n", shown, file->path, line);
        free(path);
    }
}

/* The work folder appears whole: it is filled under another name. */
static void stop_at(struct rebase *rebase, const struct patch *patch, const struct tree *pristine, const struct tree *merged)
{
    struct buf state = {0};
    char *tarball = must_realpath(rebase->tarball), *old = must_realpath(rebase->old), *hash = sha256_file(rebase->tarball);
    buf_printf(&state, "tarball %s\nsha256 %s\nold %s\nseries %s/%s\nas %s\nversion %s\nstopped %s\n", tarball, hash, old,
               rebase->pin->package, rebase->pin->series, rebase->as, rebase->version, patch->name);
    printf("  %s: needs your hand\n", patch->name);
    const char *stage = temp_folder(".");
    char *fresh = xasprintf("%s/fresh", stage), *away = xasprintf("%s/away", stage);
    const char *const parts[] = {"files", "upstream"};
    for (int i = 0; i < 2; i++) {
        char *folder = xasprintf("%s/%s", fresh, parts[i]), *shown = xasprintf("%s/%s", rebase->work, parts[i]);
        make_folders(folder);
        save_files(folder, shown, patch, i ? pristine : merged);
        free(folder);
        free(shown);
    }
    char *copy = xasprintf("%s/%s", fresh, patch->name), *path = xasprintf("%s/state", fresh);
    write_file(copy, patch->data, patch->size);
    write_file(path, state.data, state.size);
    char *before = xasprintf("%s/resolved", rebase->work), *after = xasprintf("%s/resolved", fresh);
    bool there = is_folder(rebase->work), resolved = is_folder(before);
    hold_signals(true);
    if ((resolved && rename(before, after)) || (there && rename(rebase->work, away)) || rename(fresh, rebase->work)) {
        int error = errno;
        if (there)
            rename(away, rebase->work);
        if (resolved)
            rename(after, before);
        die(EXIT_FAILED, "cannot write %s: %s; nothing was changed", rebase->work, strerror(error));
    }
    hold_signals(false);
    printf("  Edit the files in %s/files as they shall be with the patch; upstream's own\n"
           "  are in %s/upstream: to drop the patch, put those in their place.  Then run\n"
           "  patchset rebase --continue %s, or --abort %s.\n", rebase->work, rebase->work, rebase->work, rebase->work);
    free(fresh);
    free(away);
    free(copy);
    free(path);
    free(before);
    free(after);
    free(tarball);
    free(old);
    free(hash);
    buf_free(&state);
}

/* What the work folder says on the patch: 0 nothing, 1 a text, 2 drop it. */
static int resolved(struct rebase *rebase, const struct patch *patch, const struct tree *new, char **text, size_t *size)
{
    char *path = xasprintf("%s/resolved/%s", rebase->work, patch->name);
    *text = read_file(path, size);
    if (!*text && rebase->stopped && !strcmp(rebase->stopped, patch->name)) {
        struct strings paths = {0};
        char *files = xasprintf("%s/files", rebase->work), *folder = xasprintf("%s/resolved", rebase->work);
        for (size_t i = 0; i < patch->count; i++) {
            strings_add(&paths, patch->files[i].old_path);
            strings_add(&paths, patch->files[i].new_path);
        }
        struct tree *edited = tree_read(files, &paths);
        for (size_t i = 0; i < edited->count; i++) {
            size_t line = conflict_line(edited->files[i].data, edited->files[i].size);
            if (line)
                die(EXIT_CONFLICT, "%s/%s:%zu still has a conflict marker; edit it, then --continue again", files, edited->files[i].path, line);
        }
        *text = write_patch(patch, new, edited, size);
        make_folders(folder);
        write_file(path, *text ? *text : "", *text ? *size : 0);
        if (!*text)
            *text = xstrdup(""), *size = 0;
        tree_free(edited);
        strings_free(&paths);
        free(files);
        free(folder);
    }
    free(path);
    return !*text ? 0 : *size ? 1 : 2;
}

/* Applies a finished patch to the new tree, on which it must be clean. */
static void advance(const struct outcome *outcome, struct tree *new)
{
    char error[256];
    struct patch *patch = patch_parse(outcome->name, xmemdup(outcome->text, outcome->size), outcome->size, error, sizeof(error));
    if (!patch)
        die(EXIT_FAILED, "%s, as it was written anew: %s; please report this", outcome->name, error);
    struct patch_result *r = judge(patch, new, new);
    bool all = apply(patch, r, new);
    if (!all || r->verdict != CLEAN)
        die(EXIT_FAILED, "%s, as it was written anew, is not clean but: %s; please report this", outcome->name, verdict_name(r->verdict));
    result_free(r);
    patch_free(patch);
}

/* One patch; CLEAN: decided. */
static enum verdict decide_one(struct rebase *rebase, const struct patch *patch, const struct tree *old, const struct tree *after,
                               struct tree *new, struct outcomes *outcomes)
{
    char *text;
    size_t size;
    int known = resolved(rebase, patch, new, &text, &size);
    if (known == 2) {
        free(text);
        drop(rebase, outcomes, patch);
        return CLEAN;
    }
    if (known == 1) {
        add(outcomes, patch->name, text, size, false);
        printf("  %s: as resolved in %s\n", patch->name, rebase->work);
        advance(&outcomes->at[outcomes->count - 1], new);
        return CLEAN;
    }
    struct patch_result *r = judge(patch, new, old);
    enum verdict verdict = r->verdict;
    if (verdict == MERGED) {
        drop(rebase, outcomes, patch);
    } else if (verdict == CLEAN) {
        add(outcomes, patch->name, xmemdup(patch->data, patch->size), patch->size, false);
        printf("  %s: unchanged\n", patch->name);
    } else if (verdict == OFFSET) {
        text = renumber(patch, r, &size);
        add(outcomes, patch->name, text, size, false);
        printf("  %s: refreshed, offset %ld\n", patch->name, r->offset);
    } else {
        struct tree *merged = tree_copy(new);
        bool clean = merge_patch(rebase, patch, old, after, merged);
        text = clean && !partly_there(r) && (verdict == FUZZ || verdict == CONFLICT) ? write_patch(patch, new, merged, &size) : NULL;
        if (text) {
            add(outcomes, patch->name, text, size, false);
            printf("  %s: merged three ways, refreshed (was: %s)\n", patch->name, verdict_name(verdict));
        } else if (verdict == NOT_APPLICABLE) {
            const char *why = NULL;
            for (size_t f = 0; f < r->count && !why; f++) {
                why = r->files[f].note;
                for (size_t h = 0; h < r->files[f].count && !why; h++)
                    why = r->files[f].hunks[h].note;
            }
            die(EXIT_NOT_APPLICABLE, "%s is not applicable to %s: %s; take it out of a copy of the series, or leave that release", patch->name,
                rebase->version, why ? why : "its code is not there");
        } else {
            stop_at(rebase, patch, new, merged);
        }
        tree_free(merged);
        result_free(r);
        if (!text)
            return verdict == FUZZ ? CONFLICT : verdict;
        advance(&outcomes->at[outcomes->count - 1], new);
        return CLEAN;
    }
    result_free(r);
    if (verdict != MERGED)
        advance(&outcomes->at[outcomes->count - 1], new);
    return CLEAN;
}

enum verdict decide(struct rebase *rebase, struct outcomes *outcomes)
{
    struct series *series = series_read(rebase->repo, rebase->pin);
    struct strings paths = {0};
    series_paths(series, &paths);
    struct tree *new = tree_read(rebase->tarball, &paths), *old = tree_read(rebase->old, &paths);
    if (rebase->named_old)
        must_be_made_for(series, old, rebase->old);
    printf("%s from %s to %s\n", series->name, rebase->pin->version, rebase->version);
    enum verdict verdict = CLEAN;
    for (size_t i = 0; i < series->count && verdict == CLEAN; i++) {
        struct tree *after = tree_copy(old);
        struct patch_result *own = judge(series->patches[i], after, old);
        if (!apply(series->patches[i], own, after))
            die(EXIT_INPUT, "%s does not apply to %s, which its pin names; see patchset status", series->patches[i]->name, rebase->old);
        result_free(own);
        verdict = decide_one(rebase, series->patches[i], old, after, new, outcomes);
        tree_free(old);
        old = after;
    }
    tree_free(new);
    tree_free(old);
    strings_free(&paths);
    series_free(series);
    return verdict;
}
