/*
 * Linked into patchset in place of the functions below (ld --wrap): the call
 * with the number FAIL_AT of the environment fails, all others are the real
 * ones; its name goes to the file FAIL_NOTE, or the number of calls if FAIL_AT is
 * 0.  Only the program's own calls are counted, those of its children before exec
 * too; not what libraries do inside, and not what removes temporaries, which
 * nothing could make good.
 */
#define _GNU_SOURCE
#include <archive.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <jansson.h>
#include <openssl/evp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *__real_fopen(const char *path, const char *mode);
int __real_fclose(FILE *file);
static unsigned long *calls, fail_at; /* the number is shared with children */

static void note(const char *name)
{
    FILE *file = __real_fopen(getenv("FAIL_NOTE"), "w");
    if (!file || fprintf(file, "%lu %s\n", *calls, name) < 0 || __real_fclose(file))
        abort();
}

static void note_number(void) { note("none"); }

__attribute__((constructor)) static void start(void)
{
    const char *at = getenv("FAIL_AT");
    fail_at = at ? strtoul(at, NULL, 10) : 0;
    calls = mmap(NULL, sizeof(*calls), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (calls == MAP_FAILED)
        abort();
    if (!fail_at)
        atexit(note_number);
}

static bool fails(const char *name, int error)
{
    if (++*calls != fail_at)
        return false;
    note(name);
    errno = error;
    return true;
}

#define WRAP(type, name, parameters, arguments, failed, error) \
    type __real_##name parameters; \
    type __wrap_##name parameters; \
    type __wrap_##name parameters { return fails(#name, error) ? (failed) : __real_##name arguments; }

WRAP(void *, calloc, (size_t n, size_t size), (n, size), NULL, ENOMEM)
WRAP(void *, reallocarray, (void *old, size_t n, size_t size), (old, n, size), NULL, ENOMEM)
WRAP(int, vasprintf, (char **to, const char *format, va_list args), (to, format, args), -1, ENOMEM)
WRAP(char *, realpath, (const char *path, char *to), (path, to), NULL, ENOMEM)
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL, EMFILE)
WRAP(size_t, fwrite, (const void *from, size_t size, size_t n, FILE *file), (from, size, n, file),
     (file == stdout ? __real_fwrite(from, size, n, file) : 0), ENOSPC) /* stdout: patchset-rebase.t fills its disk */
WRAP(int, fclose, (FILE *file), (file), (__real_fclose(file), errno = ENOSPC, EOF), ENOSPC)
WRAP(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size), -1, EIO)
WRAP(DIR *, opendir, (const char *path), (path), NULL, EMFILE)
WRAP(struct dirent *, readdir, (DIR *folder), (folder), NULL, EIO)
WRAP(int, scandir, (const char *path, struct dirent ***list, int (*want)(const struct dirent *), int (*order)(const struct dirent **, const struct dirent **)),
     (path, list, want, order), -1, ENOMEM)
WRAP(int, stat, (const char *path, struct stat *st), (path, st), -1, EIO)
WRAP(int, fstat, (int fd, struct stat *st), (fd, st), -1, EIO)
WRAP(int, access, (const char *path, int mode), (path, mode), -1, EIO)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), -1, ENOSPC)
WRAP(char *, mkdtemp, (char *path), (path), NULL, ENOSPC)
WRAP(int, rename, (const char *from, const char *to), (from, to), -1, ENOSPC)
WRAP(int, chdir, (const char *path), (path), -1, EIO)
WRAP(int, dup, (int fd), (fd), -1, EMFILE)
WRAP(int, dup2, (int fd, int to), (fd, to), -1, EIO)
WRAP(pid_t, fork, (void), (), -1, EAGAIN)
WRAP(int, setenv, (const char *name, const char *value, int over), (name, value, over), -1, ENOMEM)
WRAP(EVP_MD_CTX *, EVP_MD_CTX_new, (void), (), NULL, ENOMEM)
WRAP(int, EVP_DigestInit_ex, (EVP_MD_CTX *context, const EVP_MD *type, ENGINE *engine), (context, type, engine), 0, ENOMEM)
WRAP(int, EVP_DigestUpdate, (EVP_MD_CTX *context, const void *data, size_t size), (context, data, size), 0, ENOMEM)
WRAP(int, EVP_DigestFinal_ex, (EVP_MD_CTX *context, unsigned char *to, unsigned int *size), (context, to, size), 0, ENOMEM)
WRAP(struct archive *, archive_read_new, (void), (), NULL, ENOMEM)
WRAP(int, archive_read_support_filter_all, (struct archive *a), (a), ARCHIVE_FATAL, ENOMEM)
WRAP(int, archive_read_support_format_tar, (struct archive *a), (a), ARCHIVE_FATAL, ENOMEM)
WRAP(int, archive_read_support_format_cpio, (struct archive *a), (a), ARCHIVE_FATAL, ENOMEM)
WRAP(json_t *, json_array, (void), (), NULL, ENOMEM)
WRAP(json_t *, json_stringn, (const char *text, size_t size), (text, size), NULL, ENOMEM)
WRAP(int, json_dumpf, (const json_t *value, FILE *file, size_t flags), (value, file, flags), -1, ENOSPC)
WRAP(int, git_libgit2_init, (void), (), -1, ENOMEM)
WRAP(int, git_patch_from_buffers, (git_patch **out, const void *a, size_t an, const char *ap, const void *b, size_t bn, const char *bp, const git_diff_options *options),
     (out, a, an, ap, b, bn, bp, options), -1, ENOMEM)
WRAP(int, git_merge_file, (git_merge_file_result *out, const git_merge_file_input *a, const git_merge_file_input *b, const git_merge_file_input *c, const git_merge_file_options *options),
     (out, a, b, c, options), -1, ENOMEM)

#define OPEN(name, first, ...) \
    int __real_##name(first const char *path, int flags, ...); \
    int __wrap_##name(first const char *path, int flags, ...); \
    int __wrap_##name(first const char *path, int flags, ...) \
    { \
        va_list args; \
        va_start(args, flags); \
        mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0; \
        va_end(args); \
        return fails(#name, EMFILE) ? -1 : __real_##name(__VA_ARGS__); \
    }
#define NOTHING
OPEN(open, NOTHING, path, flags, mode)
#define IN_FOLDER int folder,
OPEN(openat, IN_FOLDER, folder, path, flags, mode)
