/* Finds the lines of a hunk, and the block of code around them. */
#ifndef PATCHSET_MATCH_H
#define PATCHSET_MATCH_H

#include "diff.h"

/* Lines count from 0 here; ranges are [from, to). */
struct place { bool found; size_t line, count; };

/* The hunk before (drop '+') or after (drop '-') the change; the caller frees
 * .at, the text belongs to the patch. */
struct lines hunk_image(const struct hunk *hunk, char drop);

/* Where image stands in text[from, to): the place nearest to `expected`, and
 * how many there are.  An empty image fits only an empty range. */
struct place match_find(const struct lines *text, struct lines image, size_t from, size_t to, size_t expected);

/* The lines of context that GNU patch's fuzz N leaves out at each end: first
 * at the longer one.  False where there is no more context to leave out. */
bool match_trim(const struct hunk *hunk, struct lines image, unsigned fuzz, struct lines *trimmed, size_t *skipped);

/* The block (function, table, type; in Ruby method or class) around a line. */
struct block { size_t from, to; struct span name; /* empty: none */ };
struct block block_around(const struct lines *text, size_t line, const char *path);
/* The block of that name; .name is empty where there is none. */
struct block block_named(const struct lines *text, struct span name, const char *path);
/* The name in a line that opens a block, as the section of a hunk; else empty. */
struct span block_title(struct span line, const char *path);

/* Whether the word stands anywhere in the lines. */
bool has_word(const struct lines *text, struct span word);

/* How often the line stands in text[from, to). */
size_t count_line(const struct lines *text, struct span line, size_t from, size_t to);

/* A line that tells one place from another: not blank, a brace or an `else`. */
bool is_telling(struct span line);
bool is_comment(struct span line, const char *path);

/* The range of `length` lines that holds most of the hunk's telling lines; in
 * *hits how many of them, each counted once. */
size_t match_window(const struct lines *text, struct lines image, size_t length, size_t expected, size_t *hits);

#endif
