/* Reads one patch: free text with DEP-3 fields, then unified diffs at -p1. */
#ifndef PATCHSET_DIFF_H
#define PATCHSET_DIFF_H

#include "util.h"

struct hunk_line {
    char kind;        /* ' ', '-' or '+' */
    struct span text; /* with its '\n', unless "\ No newline" follows */
};

struct hunk {
    /* As in "@@ -old,count +new,count @@"; lines count from 1, 0 is "before the
     * first line". */
    size_t old_start, old_count, new_start, new_count;
    struct span section; /* what follows the second @@ */
    struct hunk_line *lines;
    size_t count;
    size_t at, end; /* byte offsets of the header line and of the end in the patch */
};

enum change { MODIFY, CREATE, DELETE, RENAME };

struct file_diff {
    enum change change;
    char *old_path, *new_path; /* without the first folder; equal but for RENAME */
    struct hunk *hunks;
    size_t count;
};

struct patch {
    char *name;
    char *data; /* the file as it is; all spans point into it */
    size_t size;
    size_t header; /* bytes before the first diff */
    struct file_diff *files;
    size_t count;
};

/* Takes over data, which must come from malloc, also on failure.  NULL: error
 * (size bytes) has one line, "line N: what is wrong". */
struct patch *patch_parse(const char *name, char *data, size_t size, char *error, size_t error_size);
void patch_free(struct patch *patch);

/* The value of a DEP-3 field, its continuation lines included; the caller
 * frees it; NULL where there is none.
 * https://dep-team.pages.debian.net/deps/dep3/ */
char *patch_field(const struct patch *patch, const char *field);

/* The numbers of lines that start with '+' and '-'. */
void patch_stat(const struct patch *patch, size_t *added, size_t *removed);

#endif
