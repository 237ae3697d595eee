/* Three-way merges, and patches written anew. */
#include "merge.h"

#include <git2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void start_git(void)
{
    static bool started;
    if (!started && git_libgit2_init() < 0)
        die(EXIT_FAILED, "libgit2 does not start");
    started = true;
}

static _Noreturn void git_failed(const char *what, const char *path)
{
    const git_error *error = git_error_last();
    die(EXIT_FAILED, "cannot %s %s: %s", what, path, error ? error->message : "libgit2 gives no reason");
}

char *merge_file(const struct tree_file *base, const struct tree_file *ours, const struct tree_file *theirs,
                 const char *ours_label, const char *theirs_label, size_t *size, bool *clean)
{
    git_merge_file_input inputs[3];
    const struct tree_file *files[3] = {base, ours, theirs};
    const char *path = ours ? ours->path : base ? base->path : theirs ? theirs->path : "file";
    start_git();
    for (int i = 0; i < 3; i++) {
        git_merge_file_input_init(&inputs[i], GIT_MERGE_FILE_INPUT_VERSION);
        inputs[i].ptr = files[i] ? files[i]->data : "";
        inputs[i].size = files[i] ? files[i]->size : 0;
        inputs[i].path = path;
        inputs[i].mode = 0100644;
    }
    git_merge_file_options options;
    git_merge_file_options_init(&options, GIT_MERGE_FILE_OPTIONS_VERSION);
    options.ancestor_label = "before our change";
    options.our_label = ours_label;
    options.their_label = theirs_label;
    options.flags = GIT_MERGE_FILE_STYLE_DIFF3;
    git_merge_file_result result;
    if (git_merge_file(&result, &inputs[0], &inputs[1], &inputs[2], &options))
        git_failed("merge", path);
    *clean = result.automergeable;
    *size = result.len;
    char *text = xmemdup(result.ptr, result.len);
    git_merge_file_result_free(&result);
    return text;
}

/* GNU diff leaves out a count of 1. */
static void range(struct buf *out, char sign, size_t start, size_t count)
{
    buf_printf(out, count == 1 ? "%c%zu" : "%c%zu,%zu", sign, start, count);
}

void diff_files(struct buf *out, const char *path, const struct tree_file *old, const struct tree_file *new)
{
    git_diff_options options;
    git_patch *patch;
    start_git();
    git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
    options.flags = GIT_DIFF_FORCE_TEXT;
    if (git_patch_from_buffers(&patch, old ? old->data : NULL, old ? old->size : 0, path, new ? new->data : NULL,
                               new ? new->size : 0, path, &options))
        git_failed("compare", path);
    size_t hunks = git_patch_num_hunks(patch);
    if (hunks) {
        buf_printf(out, old ? "--- a/%s\n" : "--- /dev/null\n", path);
        buf_printf(out, new ? "+++ b/%s\n" : "+++ /dev/null\n", path);
    }
    for (size_t h = 0; h < hunks; h++) {
        const git_diff_hunk *hunk;
        size_t lines;
        if (git_patch_get_hunk(&hunk, &lines, patch, h))
            git_failed("compare", path);
        buf_puts(out, "@@ ");
        range(out, '-', (size_t)hunk->old_start, (size_t)hunk->old_lines);
        buf_puts(out, " ");
        range(out, '+', (size_t)hunk->new_start, (size_t)hunk->new_lines);
        buf_puts(out, " @@\n");
        for (size_t i = 0; i < lines; i++) {
            const git_diff_line *line;
            if (git_patch_get_line_in_hunk(&line, patch, h, i))
                git_failed("compare", path);
            if (line->origin == GIT_DIFF_LINE_CONTEXT || line->origin == GIT_DIFF_LINE_ADDITION || line->origin == GIT_DIFF_LINE_DELETION)
                buf_add(out, &line->origin, 1);
            buf_add(out, line->content, line->content_len);
        }
    }
    git_patch_free(patch);
}

char *renumber(const struct patch *patch, const struct patch_result *result, size_t *size)
{
    struct buf out = {0};
    size_t at = 0;
    for (size_t f = 0; f < patch->count; f++) {
        long delta = 0;
        for (size_t h = 0; h < patch->files[f].count; h++) {
            const struct hunk *hunk = &patch->files[f].hunks[h];
            size_t line = result->files[f].hunks[h].line;
            const char *end = memchr(patch->data + hunk->at, '\n', patch->size - hunk->at);
            if (result->files[f].hunks[h].verdict != OFFSET && !delta) {
                delta += (long)hunk->new_count - (long)hunk->old_count;
                continue; /* its bytes stay */
            }
            buf_add(&out, patch->data + at, hunk->at - at);
            buf_puts(&out, "@@ ");
            range(&out, '-', hunk->old_count ? line : line - 1, hunk->old_count);
            buf_puts(&out, " ");
            range(&out, '+', (size_t)((long)line + delta) - !hunk->new_count, hunk->new_count);
            buf_puts(&out, " @@");
            if (hunk->section.size) {
                buf_puts(&out, " ");
                buf_add(&out, hunk->section.at, hunk->section.size);
            }
            at = (size_t)(end - patch->data);
            delta += (long)hunk->new_count - (long)hunk->old_count;
        }
    }
    buf_add(&out, patch->data + at, patch->size - at);
    *size = out.size;
    return out.data;
}

char *header_with(const struct patch *patch, const char *field, const char *value)
{
    struct buf out = {0};
    struct lines lines = lines_split(patch->data, patch->header);
    size_t last = 0, length = strlen(field);
    bool skipping = false;
    for (size_t i = 0; i < lines.count; i++) /* behind the last line that is not blank */
        if (span_trim(lines.at[i]).size)
            last = i + 1;
    for (size_t i = 0; i < lines.count; i++) {
        if (i == last)
            buf_printf(&out, "%s: %s\n", field, value);
        bool continues = lines.at[i].at[0] == ' ' || lines.at[i].at[0] == '\t';
        skipping = (skipping && continues) ||
                   (lines.at[i].size > length && !memcmp(lines.at[i].at, field, length) && lines.at[i].at[length] == ':');
        if (!skipping)
            buf_add(&out, lines.at[i].at, lines.at[i].size);
    }
    if (last == lines.count)
        buf_printf(&out, "%s: %s\n", field, value);
    free(lines.at);
    return out.data;
}

size_t conflict_line(const char *data, size_t size)
{
    struct lines lines = lines_split(data, size);
    size_t found = 0;
    for (size_t i = 0; i < lines.count && !found; i++)
        if (lines.at[i].size > 7 && (!memcmp(lines.at[i].at, "<<<<<<< ", 8) || !memcmp(lines.at[i].at, ">>>>>>> ", 8) ||
                                     !memcmp(lines.at[i].at, "||||||| ", 8)))
            found = i + 1;
    free(lines.at);
    return found;
}
