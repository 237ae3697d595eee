/* Three-way merges and new diffs, by libgit2. */
#ifndef PATCHSET_MERGE_H
#define PATCHSET_MERGE_H

#include "diff.h"
#include "tree.h"
#include "verdict.h"

/* The change from base to theirs, on ours; a NULL file is an empty one.  What
 * conflicts has markers with the three texts, and *clean is false.  The caller
 * frees the text. */
char *merge_file(const struct tree_file *base, const struct tree_file *ours, const struct tree_file *theirs,
                 const char *ours_label, const char *theirs_label, size_t *size, bool *clean);

/* Adds the diff of a file to out, in the form of patches/quiltrc; nothing
 * where both are equal; NULL: there is no such file. */
void diff_files(struct buf *out, const char *path, const struct tree_file *old, const struct tree_file *new);

/* The patch with the line numbers at which it applies; the caller frees it. */
char *renumber(const struct patch *patch, const struct patch_result *result, size_t *size);

/* The header of the patch with a field set, behind the other fields. */
char *header_with(const struct patch *patch, const char *field, const char *value);

/* The number, from 1, of the first line with a marker of a conflict; 0: none. */
size_t conflict_line(const char *data, size_t size);

#endif
