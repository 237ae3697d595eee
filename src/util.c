/* Errors, memory, files, temporary folders, signals and child processes. */
#define _GNU_SOURCE
#include "util.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <openssl/evp.h>

static char *temporary;
static volatile sig_atomic_t caught;

static void complain(const char *format, va_list args)
{
    char text[4096];
    vsnprintf(text, sizeof(text), format, args);
    for (char *p = text; *p; p++) /* one line, whatever a file's name holds */
        if ((unsigned char)*p < ' ' || *p == 127)
            *p = '?';
    fprintf(stderr, "patchset: %s\n", text);
}

void die(int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fflush(stdout);
    complain(format, args);
    va_end(args);
    exit(code);
}

void warn(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(format, args);
    va_end(args);
}

void *xrealloc(void *old, size_t count, size_t size)
{
    void *new = reallocarray(old, count ? count : 1, size);
    if (!new)
        die(EXIT_FAILED, "no memory for %zu times %zu bytes", count, size);
    return new;
}

void *xcalloc(size_t count, size_t size)
{
    void *new = calloc(count ? count : 1, size);
    if (!new)
        die(EXIT_FAILED, "no memory for %zu times %zu bytes", count, size);
    return new;
}

char *xmemdup(const char *data, size_t size)
{
    char *copy = xrealloc(NULL, size + 1, 1);
    if (size)
        memcpy(copy, data, size);
    copy[size] = '\0';
    return copy;
}

char *xstrdup(const char *text) { return xmemdup(text, strlen(text)); }

static char *xvasprintf(const char *format, va_list args)
{
    char *text;
    if (vasprintf(&text, format, args) < 0)
        die(EXIT_FAILED, "no memory for a message");
    return text;
}

char *xasprintf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = xvasprintf(format, args);
    va_end(args);
    return text;
}

void buf_add(struct buf *buf, const void *data, size_t size)
{
    if (buf->size + size + 1 > buf->room) {
        buf->room = (buf->size + size + 1) * 2;
        buf->data = xrealloc(buf->data, buf->room, 1);
    }
    if (size)
        memcpy(buf->data + buf->size, data, size);
    buf->size += size;
    buf->data[buf->size] = '\0';
}

void buf_puts(struct buf *buf, const char *text) { buf_add(buf, text, strlen(text)); }

void buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = xvasprintf(format, args);
    va_end(args);
    buf_puts(buf, text);
    free(text);
}

void buf_free(struct buf *buf)
{
    free(buf->data);
    *buf = (struct buf){0};
}

void strings_add(struct strings *list, const char *text)
{
    list->at = xrealloc(list->at, list->count + 1, sizeof(*list->at));
    list->at[list->count++] = xstrdup(text);
}

bool strings_have(const struct strings *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->at[i], text))
            return true;
    return false;
}

void strings_free(struct strings *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->at[i]);
    free(list->at);
    *list = (struct strings){0};
}

struct lines lines_split(const char *data, size_t size)
{
    struct lines lines = {0};
    size_t room = 0;
    for (size_t from = 0; from < size;) {
        const char *end = memchr(data + from, '\n', size - from);
        size_t to = end ? (size_t)(end - data) + 1 : size;
        if (lines.count == room) {
            room = room ? room * 2 : 64;
            lines.at = xrealloc(lines.at, room, sizeof(*lines.at));
        }
        lines.at[lines.count++] = (struct span){data + from, to - from};
        from = to;
    }
    return lines;
}

bool span_equal(struct span a, struct span b)
{
    return a.size == b.size && (!a.size || !memcmp(a.at, b.at, a.size));
}

struct span span_trim(struct span s)
{
    while (s.size && isspace((unsigned char)s.at[0]))
        s.at++, s.size--;
    while (s.size && isspace((unsigned char)s.at[s.size - 1]))
        s.size--;
    return s;
}

char *read_file(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    struct buf buf = {0};
    char block[65536];
    ssize_t got;
    while ((got = read(fd, block, sizeof(block))) != 0) {
        check_interrupt();
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            int error = errno;
            close(fd);
            buf_free(&buf);
            errno = error;
            return NULL;
        }
        buf_add(&buf, block, (size_t)got);
    }
    close(fd);
    buf_add(&buf, "", 0);
    *size = buf.size;
    return buf.data;
}

char *must_read_file(const char *path, size_t *size)
{
    char *data = read_file(path, size);
    if (!data)
        die(EXIT_INPUT, "cannot read %s: %s", path, strerror(errno));
    return data;
}

void must_be_readable(const char *path)
{
    if (access(path, R_OK))
        die(EXIT_INPUT, "cannot read %s: %s", *path ? path : "''", strerror(errno));
}

void write_file(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "we");
    if (!file || (size && fwrite(data, 1, size, file) != size) || fclose(file))
        die(EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
}

void make_folders(const char *path)
{
    char *copy = xstrdup(path);
    for (char *p = copy + 1;; p++) {
        if (*p && *p != '/')
            continue;
        char end = *p;
        *p = '\0';
        if (mkdir(copy, 0777) && errno != EEXIST)
            die(EXIT_FAILED, "cannot make the folder %s: %s", copy, strerror(errno));
        *p = end;
        if (!end)
            break;
    }
    free(copy);
}

/* False: nothing that can be reached is there.  That nobody knows is another
 * thing. */
static bool look(const char *path, struct stat *st)
{
    if (!stat(path, st))
        return true;
    if (errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != ELOOP && errno != ENAMETOOLONG)
        die(EXIT_FAILED, "cannot look at %s: %s", path, strerror(errno));
    return false;
}

bool is_folder(const char *path)
{
    struct stat st;
    return look(path, &st) && S_ISDIR(st.st_mode);
}

bool is_file(const char *path)
{
    struct stat st;
    return look(path, &st) && S_ISREG(st.st_mode);
}

struct dirent *next_entry(DIR *folder, const char *path)
{
    errno = 0;
    struct dirent *entry = readdir(folder);
    if (!entry && errno)
        die(EXIT_FAILED, "cannot read %s: %s", path, strerror(errno));
    return entry;
}

char *must_realpath(const char *path)
{
    char *real = realpath(path, NULL);
    if (!real)
        die(EXIT_INPUT, "cannot read %s: %s", *path ? path : "''", strerror(errno));
    return real;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st, (void)type, (void)where;
    return remove(path);
}

void remove_tree(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

void must_rename(const char *from, const char *to)
{
    if (rename(from, to))
        die(EXIT_FAILED, "cannot rename %s to %s: %s", from, to, strerror(errno));
}

char *sha256_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    char block[65536];
    ssize_t got = -1;
    bool summed = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL);
    while (fd >= 0 && summed && (got = read(fd, block, sizeof(block))) > 0) {
        check_interrupt();
        summed = EVP_DigestUpdate(context, block, (size_t)got);
    }
    if (fd < 0 || (summed && got < 0))
        die(EXIT_INPUT, "cannot read %s: %s", path, strerror(errno));
    if (!summed || !EVP_DigestFinal_ex(context, digest, &size))
        die(EXIT_FAILED, "cannot make the SHA-256 of %s: libcrypto fails", path);
    EVP_MD_CTX_free(context);
    close(fd);
    struct buf hex = {0};
    for (unsigned int i = 0; i < size; i++)
        buf_printf(&hex, "%02x", digest[i]);
    return hex.data;
}

static void remove_temporary(void)
{
    if (temporary)
        remove_tree(temporary);
    free(temporary);
    temporary = NULL;
}

const char *temp_folder(const char *parent)
{
    static bool registered;
    if (!registered)
        registered = !atexit(remove_temporary);
    remove_temporary();
    char *path = xasprintf("%s/.patchset.XXXXXX", parent);
    if (!mkdtemp(path))
        die(EXIT_FAILED, "cannot make a temporary folder in %s: %s", parent, strerror(errno));
    temporary = path;
    return temporary;
}

static void catch(int number) { caught = number; }

void check_interrupt(void)
{
    if (!caught)
        return;
    int number = caught;
    /* Ended by exit() so that temporaries go; the shell's form of the code. */
    caught = 0;
    if (isatty(2))
        fputs("\r\033[K", stderr);
    die(128 + number, "%s; nothing was changed", strsignal(number));
}

void catch_signals(void)
{
    /* A second signal ends a program that waits for a stalled file. */
    struct sigaction action = {.sa_handler = catch, .sa_flags = SA_RESETHAND};
    const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        sigaction(numbers[i], &action, NULL);
    signal(SIGPIPE, SIG_DFL);
}

void hold_signals(bool hold)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    if (hold)
        check_interrupt();
    sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

int run(const char *folder, const char *output, ...)
{
    char *arguments[32];
    size_t count = 0;
    va_list args;
    va_start(args, output);
    while (count < 31 && (arguments[count] = va_arg(args, char *)))
        count++;
    va_end(args);
    arguments[count] = NULL;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        die(EXIT_FAILED, "cannot start %s: %s", arguments[0], strerror(errno));
    if (!child) {
        int null = open("/dev/null", O_RDONLY);
        int out = output ? open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666) : 1;
        if (null >= 0 && dup2(null, 0) == 0 && out >= 0 && dup2(out, 1) == 1 && (!output || dup2(out, 2) == 2) && (!folder || !chdir(folder)))
            execvp(arguments[0], arguments);
        _exit(127);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            die(EXIT_FAILED, "cannot wait for %s: %s", arguments[0], strerror(errno));
    check_interrupt();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
