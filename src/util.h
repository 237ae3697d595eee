/* What every part needs: exit codes, errors, buffers, files, temporary folders. */
#ifndef PATCHSET_UTIL_H
#define PATCHSET_UTIL_H

#include <dirent.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Documented in patchset.1 and README.md; the worst verdict decides. */
enum {
    EXIT_CLEAN = 0,
    EXIT_FAILED = 1,          /* a file or program failed */
    EXIT_INPUT = 2,           /* usage, or an input that is wrong */
    EXIT_REFRESH = 10,        /* applies with an offset, or only with fuzz */
    EXIT_MERGED = 11,         /* merged upstream: whole, in part, or nearly */
    EXIT_CONFLICT = 12,
    EXIT_NOT_APPLICABLE = 13,
};

/* "patchset: MESSAGE" as one line on stderr, then the end. */
_Noreturn void die(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same line without the end. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Memory: these end the program where there is none, so they never give NULL. */
void *xrealloc(void *old, size_t count, size_t size);
void *xcalloc(size_t count, size_t size);
char *xstrdup(const char *text);
char *xmemdup(const char *data, size_t size); /* with a NUL after it */
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A growing buffer; data belongs to it and has a NUL after its size bytes. */
struct buf { char *data; size_t size, room; };
void buf_add(struct buf *buf, const void *data, size_t size);
void buf_puts(struct buf *buf, const char *text);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_free(struct buf *buf);

/* A list of strings that it owns. */
struct strings { char **at; size_t count; };
void strings_add(struct strings *list, const char *text);
bool strings_have(const struct strings *list, const char *text);
void strings_free(struct strings *list);

/* Bytes that somebody else owns.  A line has its '\n', so that one without an
 * end differs from one with it. */
struct span { const char *at; size_t size; };
struct lines { struct span *at; size_t count; };
struct lines lines_split(const char *data, size_t size);
bool span_equal(struct span a, struct span b);
/* Without white space at both ends. */
struct span span_trim(struct span s);

/* The whole file; the caller frees it.  NULL with errno set. */
char *read_file(const char *path, size_t *size);
/* Ends the program when the file cannot be read. */
char *must_read_file(const char *path, size_t *size);
/* The same for one that is read later, or is a folder. */
void must_be_readable(const char *path);
void write_file(const char *path, const char *data, size_t size);
void make_folders(const char *path);
/* False also for what cannot be reached; other failures end the program. */
bool is_folder(const char *path);
bool is_file(const char *path);
/* The next entry of the opened folder PATH, or NULL at its end; a part that cannot
 * be read ends the program. */
struct dirent *next_entry(DIR *folder, const char *path);
/* realpath(3), which the caller frees, or the end of the program. */
char *must_realpath(const char *path);
void remove_tree(const char *path);
void must_rename(const char *from, const char *to);
/* Lower-case hex SHA-256 of a file, by libcrypto; the caller frees it. */
char *sha256_file(const char *path);

/* A folder below PARENT which goes at the end, however the program ends; one
 * at a time.  The path belongs to util. */
const char *temp_folder(const char *parent);
/* A signal only leaves a mark; this ends the program if there is one.  Called
 * in every loop that may take long. */
void check_interrupt(void);
void catch_signals(void);
/* Around steps that must not be parted. */
void hold_signals(bool hold);

/* run(FOLDER or NULL, OUTPUT or NULL, PROGRAM, ARGUMENT..., NULL): the exit
 * status; 127 where there is no such program.  Output goes to the file. */
int run(const char *folder, const char *output, ...) __attribute__((sentinel));

#endif
