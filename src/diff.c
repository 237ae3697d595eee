/* The diff reader.  It takes any bytes and never ends the program on them:
 * each fault is one line that says where and what. */
#include "diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* No source file has more lines; larger numbers would only overflow sums. */
#define MAX_LINES 100000000

struct reader {
    const char *data;
    size_t size, at; /* at: the start of the next line */
    size_t line;     /* of the line read last, from 1 */
    char *error;
    size_t error_size;
};

static bool fail(struct reader *r, size_t line, const char *what, struct span text)
{
    text = span_trim(text);
    snprintf(r->error, r->error_size, "line %zu: %s%s%.*s", line, what, text.size ? ": " : "",
             text.size > 60 ? 60 : (int)text.size, text.size ? text.at : "");
    return false;
}

static bool peek(const struct reader *r, struct span *line)
{
    if (r->at >= r->size)
        return false;
    const char *end = memchr(r->data + r->at, '\n', r->size - r->at);
    *line = (struct span){r->data + r->at, end ? (size_t)(end - r->data) + 1 - r->at : r->size - r->at};
    return true;
}

static bool next(struct reader *r, struct span *line)
{
    if (!peek(r, line))
        return false;
    r->at += line->size;
    r->line++;
    return true;
}

static bool starts(struct span line, const char *with)
{
    size_t size = strlen(with);
    return line.size >= size && !memcmp(line.at, with, size);
}

static struct span after(struct span line, const char *with)
{
    size_t size = strlen(with);
    return (struct span){line.at + size, line.size - size};
}

static struct span without_end(struct span s)
{
    while (s.size && (s.at[s.size - 1] == '\n' || s.at[s.size - 1] == '\r'))
        s.size--;
    return s;
}

/* A path of "--- a/x", "+++ b/x<TAB>date" or "rename from x".  Sets *path to
 * NULL for /dev/null. */
static bool read_path(struct reader *r, struct span text, bool has_prefix, char **path)
{
    text = without_end(text);
    const char *tab = text.size ? memchr(text.at, '\t', text.size) : NULL;
    if (tab)
        text.size = (size_t)(tab - text.at);
    *path = NULL;
    if (text.size == 9 && starts(text, "/dev/null"))
        return true;
    if (text.size && text.at[0] == '"')
        return fail(r, r->line, "a quoted file name, which no source here has", text);
    if (has_prefix && text.size && text.at[0] != '/') {
        const char *slash = memchr(text.at, '/', text.size);
        if (!slash)
            return fail(r, r->line, "a file name without a first folder to take off (-p1)", text);
        text = (struct span){slash + 1, text.size - (size_t)(slash + 1 - text.at)};
    }
    if (!text.size)
        return fail(r, r->line, "an empty file name", text);
    if (text.at[0] == '/')
        return fail(r, r->line, "a file name that leaves the source tree", text);
    for (size_t from = 0; from < text.size;) {
        const char *slash = memchr(text.at + from, '/', text.size - from);
        size_t to = slash ? (size_t)(slash - text.at) : text.size;
        if (to - from == 2 && text.at[from] == '.' && text.at[from + 1] == '.')
            return fail(r, r->line, "a file name that leaves the source tree", text);
        from = to + 1;
    }
    *path = xmemdup(text.at, text.size);
    return true;
}

/* "12,3" or "12": false where it is no such thing. */
static bool read_range(struct span *text, size_t *start, size_t *count)
{
    size_t *into = start;
    *count = 1;
    for (;;) {
        size_t value = 0, digits = 0;
        for (; text->size && *text->at >= '0' && *text->at <= '9'; text->at++, text->size--, digits++) {
            value = value * 10 + (size_t)(*text->at - '0');
            if (value > MAX_LINES)
                return false;
        }
        if (!digits)
            return false;
        *into = value;
        if (into == count || !text->size || *text->at != ',')
            return true;
        text->at++, text->size--;
        into = count;
    }
}

static bool read_hunk_header(struct span line, struct hunk *hunk)
{
    if (!starts(line, "@@ -"))
        return false;
    struct span text = after(line, "@@ -");
    if (!read_range(&text, &hunk->old_start, &hunk->old_count) || text.size < 2 || memcmp(text.at, " +", 2))
        return false;
    text.at += 2, text.size -= 2;
    if (!read_range(&text, &hunk->new_start, &hunk->new_count) || !starts(text, " @@"))
        return false;
    hunk->section = span_trim(after(text, " @@"));
    /* Line 0 is where an empty side stands. */
    return (hunk->old_start || !hunk->old_count) && (hunk->new_start || !hunk->new_count);
}

static bool read_hunk(struct reader *r, struct hunk *hunk)
{
    struct span line = {0};
    hunk->at = r->at;
    next(r, &line);
    size_t header = r->line;
    if (!read_hunk_header(line, hunk))
        return fail(r, header, "not the header of a hunk", line);
    size_t old = 0, new = 0, room = 0;
    while (old < hunk->old_count || new < hunk->new_count) {
        if (!next(r, &line)) {
            fail(r, header, "the hunk is cut off", line);
            return false;
        }
        char kind = line.at[0];
        struct span text = {line.at + 1, line.size - 1};
        if (kind == '\n' || (kind == '\r' && line.size == 2)) /* an editor took the blank off */
            kind = ' ', text = line;
        if (kind == '\\')
            return fail(r, r->line, "this mark belongs after a last line", line);
        if (kind != ' ' && kind != '+' && kind != '-')
            return fail(r, r->line, "not a line of a hunk (wrong counts in its header?)", line);
        old += kind != '+';
        new += kind != '-';
        if (old > hunk->old_count || new > hunk->new_count)
            return fail(r, header, "wrong counts in the header of the hunk", line);
        if (text.size == 0 || text.at[text.size - 1] != '\n')
            return fail(r, r->line, "the patch ends in the middle of a line", line);
        if (hunk->count == room) {
            room = room ? room * 2 : 16;
            hunk->lines = xrealloc(hunk->lines, room, sizeof(*hunk->lines));
        }
        hunk->lines[hunk->count++] = (struct hunk_line){kind, text};
        if (peek(r, &line) && line.at[0] == '\\') {
            next(r, &line);
            if (kind != '-' && new < hunk->new_count)
                return fail(r, r->line, "lines of the new file follow its last one", line);
            if (kind != '+' && old < hunk->old_count)
                return fail(r, r->line, "lines of the old file follow its last one", line);
            hunk->lines[hunk->count - 1].text.size--;
        }
    }
    hunk->end = r->at;
    bool changes = false;
    for (size_t i = 0; i < hunk->count; i++)
        changes |= hunk->lines[i].kind != ' ';
    if (!changes)
        return fail(r, header, "the hunk changes nothing", (struct span){0});
    /* What follows in its place would be dropped in silence. */
    if (peek(r, &line) && (line.at[0] == '+' || line.at[0] == '-' || line.at[0] == ' ') &&
        !starts(line, "--- ") && !starts(line, "-- \n") && !starts(line, "-- \r") && !starts(line, "--\n"))
        return fail(r, r->line + 1, "more lines than the header of the hunk says", line);
    return true;
}

static struct file_diff *add_file(struct patch *patch)
{
    patch->files = xrealloc(patch->files, patch->count + 1, sizeof(*patch->files));
    patch->files[patch->count] = (struct file_diff){0};
    return &patch->files[patch->count++];
}

/* "--- a/x", "+++ b/x" and the hunks. */
static bool read_file_diff(struct reader *r, struct patch *patch, struct file_diff *renamed)
{
    struct span line = {0};
    char *old = NULL, *new = NULL;
    next(r, &line);
    size_t start = r->line;
    /* Of a file with such lines, the lines alone end so. */
    if (line.size > 1 && line.at[line.size - 2] == '\r')
        return fail(r, start, "the patch itself has CRLF line ends; convert it to LF", (struct span){0});
    if (!read_path(r, after(line, "--- "), true, &old))
        return false;
    if (!next(r, &line) || !starts(line, "+++ ")) {
        free(old);
        return fail(r, start, "no line with +++ follows", (struct span){0});
    }
    if (!read_path(r, after(line, "+++ "), true, &new)) {
        free(old);
        return false;
    }
    struct file_diff *file = renamed ? renamed : add_file(patch);
    if (!renamed) {
        if (!old && !new)
            return fail(r, start, "both files are /dev/null", (struct span){0});
        file->change = !old ? CREATE : !new ? DELETE : MODIFY;
        /* Differing names without a git header: the new one counts. */
        file->old_path = xstrdup(new ? new : old);
        file->new_path = xstrdup(new ? new : old);
    }
    free(old);
    free(new);
    while (peek(r, &line) && starts(line, "@@")) {
        file->hunks = xrealloc(file->hunks, file->count + 1, sizeof(*file->hunks));
        struct hunk *hunk = &file->hunks[file->count++];
        *hunk = (struct hunk){0};
        if (!read_hunk(r, hunk))
            return false;
        if (file->count > 1 && hunk->old_start < hunk[-1].old_start + hunk[-1].old_count)
            return fail(r, r->line, "hunks overlap, or are not in order", (struct span){hunk->lines[0].text.at, 0});
    }
    if (!file->count)
        return fail(r, start, "no hunk follows", (struct span){0});
    struct hunk *first = &file->hunks[0];
    if ((file->change == CREATE && (file->count > 1 || first->old_count)) ||
        (file->change == DELETE && (file->count > 1 || first->new_count)))
        return fail(r, start, "/dev/null has no lines, but the hunks say otherwise", (struct span){0});
    return true;
}

static bool read_patch(struct reader *r, struct patch *patch)
{
    const char *nul = r->size ? memchr(r->data, '\0', r->size) : NULL;
    if (nul) {
        size_t line = 1;
        for (const char *p = r->data; p < nul; p++)
            line += *p == '\n';
        return fail(r, line, "a NUL byte, so this is no text", (struct span){0});
    }
    struct span line;
    char *rename_from = NULL;
    struct file_diff *renamed = NULL;
    bool header = true, ok = true;
    while (ok && peek(r, &line)) {
        bool starts_diff = starts(line, "--- ") || starts(line, "diff --git ") || starts(line, "Index: ");
        if (header && starts_diff) {
            header = false;
            patch->header = r->at;
        }
        if (starts(line, "--- ")) {
            ok = read_file_diff(r, patch, renamed);
            renamed = NULL;
            continue;
        }
        next(r, &line);
        if (starts(line, "@@ -"))
            ok = fail(r, r->line, "a hunk before the name of its file", line);
        else if (starts(line, "GIT binary patch") || (starts(line, "Binary files ") && !header))
            ok = fail(r, r->line, "a binary patch, which quilt does not take either", (struct span){0});
        else if (starts(line, "diff --git ")) {
            renamed = NULL;
        } else if (!header && starts(line, "rename from ")) {
            free(rename_from);
            ok = read_path(r, after(line, "rename from "), false, &rename_from);
        } else if (!header && starts(line, "rename to ")) {
            char *to = NULL;
            ok = read_path(r, after(line, "rename to "), false, &to);
            if (ok && (!rename_from || !to))
                ok = fail(r, r->line, "a rename without both names", line);
            if (ok) {
                renamed = add_file(patch);
                renamed->change = RENAME;
                renamed->old_path = rename_from;
                renamed->new_path = to;
                rename_from = NULL;
            } else {
                free(to);
            }
        }
    }
    free(rename_from);
    if (ok && !patch->count)
        return fail(r, r->line ? r->line : 1, "no diff in it", (struct span){0});
    return ok;
}

struct patch *patch_parse(const char *name, char *data, size_t size, char *error, size_t error_size)
{
    struct patch *patch = xcalloc(1, sizeof(*patch));
    *patch = (struct patch){.name = xstrdup(name), .data = data, .size = size};
    struct reader r = {.data = data, .size = size, .error = error, .error_size = error_size};
    if (read_patch(&r, patch))
        return patch;
    patch_free(patch);
    return NULL;
}

void patch_free(struct patch *patch)
{
    if (!patch)
        return;
    for (size_t i = 0; i < patch->count; i++) {
        for (size_t h = 0; h < patch->files[i].count; h++)
            free(patch->files[i].hunks[h].lines);
        free(patch->files[i].hunks);
        free(patch->files[i].old_path);
        free(patch->files[i].new_path);
    }
    free(patch->files);
    free(patch->name);
    free(patch->data);
    free(patch);
}

char *patch_field(const struct patch *patch, const char *field)
{
    struct reader r = {.data = patch->data, .size = patch->header};
    struct span line;
    size_t size = strlen(field);
    while (next(&r, &line)) {
        if (line.size <= size || strncasecmp(line.at, field, size) || line.at[size] != ':')
            continue;
        struct buf value = {0};
        struct span text = span_trim((struct span){line.at + size + 1, line.size - size - 1});
        buf_add(&value, text.at, text.size);
        while (peek(&r, &line) && (line.at[0] == ' ' || line.at[0] == '\t')) {
            next(&r, &line);
            text = span_trim(line);
            buf_puts(&value, "\n");
            buf_add(&value, text.at, text.size);
        }
        return value.data;
    }
    return NULL;
}

void patch_stat(const struct patch *patch, size_t *added, size_t *removed)
{
    *added = *removed = 0;
    for (size_t i = 0; i < patch->count; i++)
        for (size_t h = 0; h < patch->files[i].count; h++) {
            const struct hunk *hunk = &patch->files[i].hunks[h];
            for (size_t l = 0; l < hunk->count; l++) {
                *added += hunk->lines[l].kind == '+';
                *removed += hunk->lines[l].kind == '-';
            }
        }
}
