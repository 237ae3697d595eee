/* The tree reader: tarballs, gems and source rpms by libarchive, and folders. */
#define _GNU_SOURCE
#include "tree.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A source file is text that people edit; a larger one is no such thing. */
#define MAX_FILE ((size_t)64 << 20)
/* Entries of an archive; Ruby 3.4.5 has 12,000. */
#define MAX_ENTRIES 10000000

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

struct tree_file *tree_find(const struct tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->count; i++)
        if (!strcmp(tree->files[i].path, path))
            return &tree->files[i];
    return NULL;
}

void tree_put(struct tree *tree, const char *path, char *data, size_t size, mode_t mode)
{
    struct tree_file *file = tree_find(tree, path);
    if (file) {
        free(file->data);
    } else {
        tree->files = xrealloc(tree->files, tree->count + 1, sizeof(*tree->files));
        file = &tree->files[tree->count++];
        file->path = xstrdup(path);
    }
    file->data = data;
    file->size = size;
    file->mode = mode;
}

void tree_remove(struct tree *tree, const char *path)
{
    struct tree_file *file = tree_find(tree, path);
    if (!file)
        return;
    free(file->path);
    free(file->data);
    *file = tree->files[--tree->count];
}

const char *tree_elsewhere(const struct tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->elsewhere.count; i++)
        if (!strcmp(base_name(tree->elsewhere.at[i]), base_name(path)))
            return tree->elsewhere.at[i];
    return NULL;
}

struct tree *tree_copy(const struct tree *tree)
{
    struct tree *copy = xcalloc(1, sizeof(*copy));
    copy->name = xstrdup(tree->name);
    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_file *file = &tree->files[i];
        tree_put(copy, file->path, xmemdup(file->data, file->size), file->size, file->mode);
    }
    for (size_t i = 0; i < tree->elsewhere.count; i++)
        strings_add(&copy->elsewhere, tree->elsewhere.at[i]);
    return copy;
}

void tree_free(struct tree *tree)
{
    if (!tree)
        return;
    while (tree->count)
        tree_remove(tree, tree->files[0].path);
    free(tree->files);
    strings_free(&tree->elsewhere);
    free(tree->name);
    free(tree);
}

/* The path of an entry without "./"; ends the program where it leaves the
 * root.  "" is the root itself. */
static const char *safe_path(const char *archive, const char *path)
{
    if (!path)
        die(EXIT_INPUT, "%s: an entry without a name that can be read; take another tarball", archive);
    const char *full = path;
    bool bad = *path == '/';
    while (!strncmp(path, "./", 2))
        for (path += 2; *path == '/'; path++)
            ;
    for (const char *part = path; part && !bad; part = strchr(part, '/'), part = part ? part + 1 : NULL)
        bad = !strncmp(part, "..", 2) && (part[2] == '/' || !part[2]);
    if (bad)
        die(EXIT_INPUT, "%s: the path %s leaves the root of the archive; nothing of it is used", archive, full);
    return strcmp(path, ".") ? path : "";
}

static void progress(const char *path, long long bytes, bool end)
{
    static long long shown;
    if (!isatty(2) || (!end && bytes - shown < (4 << 20)))
        return;
    shown = end ? 0 : bytes;
    if (end)
        fputs("\r\033[K", stderr);
    else
        fprintf(stderr, "\rpatchset: reading %s: %lld MB", base_name(path), bytes >> 20);
    fflush(stderr);
}

struct reading {
    const char *path;
    const struct strings *wanted;
    struct tree *raw, *stripped; /* files by their path, and by it without the top folder */
    char *top;                   /* that folder, as long as all entries share it */
    bool shared, nested;
    size_t entries;
};

static _Noreturn void unreadable(const char *path, struct archive *archive)
{
    const char *what = archive_error_string(archive);
    die(EXIT_INPUT, "cannot read %s: %s; fetch it again", path, what ? what : "not an archive");
}

static char *read_entry(const struct reading *r, struct archive *archive, const char *path, size_t *size)
{
    struct buf buf = {0};
    char block[65536];
    la_ssize_t got;
    while ((got = archive_read_data(archive, block, sizeof(block))) != 0) {
        check_interrupt();
        if (got < 0)
            unreadable(r->path, archive);
        buf_add(&buf, block, (size_t)got);
        if (buf.size > MAX_FILE)
            die(EXIT_INPUT, "%s: %s is larger than %zu MB, which no source file is", r->path, path, MAX_FILE >> 20);
    }
    buf_add(&buf, "", 0);
    *size = buf.size;
    return buf.data;
}

static void note_elsewhere(struct reading *r, const char *path, const char *inner)
{
    for (size_t i = 0; i < r->wanted->count; i++) {
        if (strcmp(base_name(path), base_name(r->wanted->at[i])))
            continue;
        strings_add(&r->raw->elsewhere, path);
        if (inner)
            strings_add(&r->stripped->elsewhere, inner);
        return;
    }
}

static void keep_entry(struct reading *r, struct archive *archive, struct archive_entry *entry, const char *path)
{
    const char *inner = strchr(path, '/');
    size_t top = inner ? (size_t)(inner - path) : strlen(path);
    inner = inner ? inner + 1 : NULL;
    if (!r->top)
        r->top = xmemdup(path, top);
    else if (strncmp(r->top, path, top) || r->top[top])
        r->shared = false;
    if (archive_entry_filetype(entry) == AE_IFDIR)
        return;
    if (!inner)
        r->shared = false; /* a file beside the folder */
    bool is_raw = strings_have(r->wanted, path), is_inner = inner && strings_have(r->wanted, inner);
    note_elsewhere(r, path, inner);
    if (!is_raw && !is_inner)
        return;
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry))
        die(EXIT_INPUT, "%s: %s is a link or a special file, but the series patches it", r->path, path);
    size_t size;
    char *data = read_entry(r, archive, path, &size);
    mode_t mode = archive_entry_perm(entry);
    if (is_inner)
        tree_put(r->stripped, inner, is_raw ? xmemdup(data, size) : data, size, mode);
    if (is_raw)
        tree_put(r->raw, path, data, size, mode);
}

static void read_entries(struct reading *r, struct archive *archive);

struct outer { struct archive *archive; char block[65536]; };

static la_ssize_t read_outer(struct archive *inner, void *data, const void **block)
{
    struct outer *outer = data;
    la_ssize_t got = archive_read_data(outer->archive, outer->block, sizeof(outer->block));
    if (got < 0)
        archive_set_error(inner, EIO, "%s", archive_error_string(outer->archive));
    *block = outer->block;
    return got;
}

static struct archive *new_reader(void)
{
    struct archive *archive = archive_read_new();
    if (!archive)
        die(EXIT_FAILED, "no memory for an archive");
    archive_read_support_filter_all(archive);
    archive_read_support_format_tar(archive);
    archive_read_support_format_cpio(archive);
    return archive;
}

/* A gem is a tar whose data.tar.gz holds the files, without a top folder. */
static void read_gem(struct reading *r, struct archive *archive)
{
    struct outer *outer = xcalloc(1, sizeof(*outer));
    struct archive *inner = new_reader();
    outer->archive = archive;
    if (archive_read_open(inner, outer, NULL, read_outer, NULL) != ARCHIVE_OK)
        unreadable(r->path, inner);
    free(r->top);
    r->top = NULL;
    r->nested = true;
    read_entries(r, inner);
    archive_read_free(inner);
    free(outer);
    r->shared = false;
}

static void read_entries(struct reading *r, struct archive *archive)
{
    struct archive_entry *entry;
    int status;
    while ((status = archive_read_next_header(archive, &entry)) != ARCHIVE_EOF) {
        check_interrupt();
        if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
            unreadable(r->path, archive);
        if (++r->entries > MAX_ENTRIES)
            die(EXIT_INPUT, "%s has more than %d entries, which no source has", r->path, MAX_ENTRIES);
        const char *path = safe_path(r->path, archive_entry_pathname(entry));
        progress(r->path, archive_filter_bytes(archive, 0), false);
        if (!r->nested && !strcmp(path, "data.tar.gz")) {
            read_gem(r, archive);
            return;
        }
        if (*path)
            keep_entry(r, archive, entry, path);
    }
}

static struct tree *read_archive(const char *path, const struct strings *wanted)
{
    struct reading r = {.path = path, .wanted = wanted, .shared = true};
    r.raw = xcalloc(1, sizeof(*r.raw));
    r.stripped = xcalloc(1, sizeof(*r.stripped));
    r.raw->name = xstrdup(base_name(path));
    r.stripped->name = xstrdup(base_name(path));
    struct archive *archive = new_reader();
    if (archive_read_open_filename(archive, path, 65536) != ARCHIVE_OK)
        unreadable(path, archive);
    read_entries(&r, archive);
    archive_read_free(archive);
    progress(path, 0, true);
    if (!r.entries)
        die(EXIT_INPUT, "%s is empty, or no archive", path);
    bool strip = r.shared && r.top;
    free(r.top);
    tree_free(strip ? r.raw : r.stripped);
    return strip ? r.stripped : r.raw;
}

/* Opens without following a link, at any level. */
static int open_below(int root, const char *path)
{
    int at = dup(root);
    while (at >= 0) {
        const char *slash = strchr(path, '/');
        char *part = slash ? xmemdup(path, (size_t)(slash - path)) : xstrdup(path);
        int next = openat(at, part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | (slash ? O_DIRECTORY : O_NONBLOCK));
        int error = errno;
        free(part);
        close(at);
        errno = error;
        at = next;
        if (!slash)
            break;
        path = slash + 1;
    }
    return at;
}

static struct tree *read_folder(const char *folder, const struct strings *wanted)
{
    struct tree *tree = xcalloc(1, sizeof(*tree));
    tree->name = xstrdup(folder);
    int root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        die(EXIT_INPUT, "cannot read %s: %s", folder, strerror(errno));
    for (size_t i = 0; i < wanted->count; i++) {
        struct stat st;
        int fd = open_below(root, wanted->at[i]);
        if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
            continue;
        if (fd < 0 && errno == ELOOP)
            die(EXIT_INPUT, "%s/%s is a link, but the series patches it", folder, wanted->at[i]);
        if (fd < 0 || fstat(fd, &st))
            die(EXIT_INPUT, "cannot read %s/%s: %s", folder, wanted->at[i], strerror(errno));
        if (!S_ISREG(st.st_mode) || (size_t)st.st_size > MAX_FILE)
            die(EXIT_INPUT, "%s/%s is no source file (a folder, special, or over %zu MB)", folder, wanted->at[i], MAX_FILE >> 20);
        char *path = xasprintf("/proc/self/fd/%d", fd);
        size_t size;
        char *data = must_read_file(path, &size);
        free(path);
        close(fd);
        tree_put(tree, wanted->at[i], data, size, st.st_mode & 0777);
    }
    close(root);
    return tree;
}

struct tree *tree_read(const char *path, const struct strings *wanted)
{
    struct stat st;
    if (stat(path, &st))
        die(EXIT_INPUT, "cannot read %s: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return read_folder(path, wanted);
    return read_archive(path, wanted);
}

void tree_unpack(const char *path, const char *folder)
{
    struct archive *archive = new_reader();
    struct archive_entry *entry;
    int status;
    if (archive_read_open_filename(archive, path, 65536) != ARCHIVE_OK)
        unreadable(path, archive);
    while ((status = archive_read_next_header(archive, &entry)) != ARCHIVE_EOF) {
        check_interrupt();
        if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
            unreadable(path, archive);
        const char *name = safe_path(path, archive_entry_pathname(entry));
        if (!*name)
            continue;
        if (strchr(name, '/') || archive_entry_filetype(entry) != AE_IFREG)
            die(EXIT_INPUT, "%s holds %s, so it is no source rpm", path, name);
        char *target = xasprintf("%s/%s", folder, name);
        int fd = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (fd < 0)
            die(EXIT_FAILED, "cannot write %s: %s", target, strerror(errno));
        if (archive_read_data_into_fd(archive, fd) != ARCHIVE_OK) {
            if (strcmp(archive_error_string(archive), "Write error"))
                unreadable(path, archive);
            die(EXIT_FAILED, "cannot write %s: %s", target, strerror(archive_errno(archive)));
        }
        if (close(fd))
            die(EXIT_FAILED, "cannot write %s: %s", target, strerror(errno));
        free(target);
    }
    archive_read_free(archive);
}
