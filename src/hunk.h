/* The verdict on one hunk. */
#ifndef PATCHSET_HUNK_H
#define PATCHSET_HUNK_H

#include "verdict.h"

/* Fills r (zeroed by the caller) for hunk `number` of the diff on the lines of
 * the target file; `old` are the lines of the file that the patch was made
 * for, or NULL.  delta: the offset, in lines, of the hunk before it. */
void judge_hunk(const struct patch *patch, const struct file_diff *diff, size_t number, const struct lines *text,
                const struct lines *old, long delta, struct hunk_result *r);

#endif
