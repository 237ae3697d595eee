/* What becomes of a patch on another tree. */
#ifndef PATCHSET_VERDICT_H
#define PATCHSET_VERDICT_H

#include "diff.h"
#include "series.h"
#include "tree.h"

enum verdict { CLEAN, OFFSET, FUZZ, MERGED, NEAR_MERGE, PARTLY_MERGED, CONFLICT, NOT_APPLICABLE };

/* A run of added and removed lines: the unit in which upstream's change is
 * held against ours. */
enum state {
    OPEN,     /* the code is still as before our change */
    PART,     /* open, but upstream has some of the lines that we add */
    DONE,     /* the code is as after it */
    NEAR,     /* changed upstream with the same intent and other text */
    UNKNOWN,
};
struct group {
    size_t from, to; /* lines of the hunk */
    enum state state;
    bool replaces;  /* it takes away code, not only comments */
    char *upstream; /* NEAR: what stands there now; owned */
};

struct hunk_result {
    enum verdict verdict;
    long offset;    /* lines, from the place that the header names */
    unsigned fuzz;  /* the least with which it would fit; never applied */
    size_t line;    /* from 1: where it fits, or would; 0 unknown */
    char *note;     /* the reason, or NULL; owned */
    struct group *groups;
    size_t count;
    /* Lines of the hunk, and how many of them the target already has added or
     * no longer has, by their counts before and after. */
    size_t added, added_there, removed, removed_gone;
};

struct file_result {
    enum verdict verdict;
    char *note;
    struct hunk_result *hunks; /* as many as the diff has */
    size_t count;
};

struct patch_result {
    enum verdict verdict;
    long offset;   /* the largest, by its amount */
    unsigned fuzz; /* the largest */
    struct file_result *files;
    size_t count;
};

/* Judges a patch on a target tree.  `old` is the tree that the patch was made
 * for, with the patches before it applied; NULL: unknown, then functions and
 * counts are taken from the patch alone. */
struct patch_result *judge(const struct patch *patch, const struct tree *target, const struct tree *old);
void result_free(struct patch_result *result);

/* Applies what is CLEAN or OFFSET, hunk by hunk; true: that was all of it. */
bool apply(const struct patch *patch, const struct patch_result *result, struct tree *target);

/* One result for each patch of the series, in its order; each patch is judged
 * with those before it applied, as far as they apply, to both trees, which
 * change by that. */
struct patch_result **judge_series(const struct series *series, struct tree *target, struct tree *old);
/* Ends the program where a patch of the series is not clean on the tree that
 * the user called NAME and gave with --old. */
void must_be_made_for(const struct series *series, const struct tree *tree, const char *name);
void results_free(struct patch_result **results, size_t count);
/* The verdict that decides the exit code; CLEAN when there is no result. */
enum verdict worst_verdict(struct patch_result *const *results, size_t count);

const char *verdict_name(enum verdict verdict);
int verdict_exit(enum verdict verdict); /* an exit code */

#endif
