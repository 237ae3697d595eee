/* Pins, series files and the names of tarballs. */
#define _GNU_SOURCE
#include "series.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_repo(const char *folder)
{
    char *pins = xasprintf("%s/upstream", folder), *patches = xasprintf("%s/patches", folder);
    bool is = is_folder(pins) && is_folder(patches);
    free(pins);
    free(patches);
    return is;
}

char *repo_find(const char *start)
{
    const char *from = start ? start : ".";
    char *at = realpath(from, NULL);
    if (!at)
        die(EXIT_INPUT, "cannot enter %s: %s", from, strerror(errno));
    while (!is_repo(at)) {
        char *slash = strrchr(at, '/');
        if (slash == at || !slash) {
            free(at);
            if (!start && is_repo(PKGDATADIR))
                return xstrdup(PKGDATADIR);
            die(EXIT_INPUT, "no folder with upstream/ and patches/ at %s or above; go into the checkout, or name it with -C", from);
        }
        *slash = '\0';
    }
    return at;
}

char *pin_field(const struct pin *pin, const char *field)
{
    struct lines lines = lines_split(pin->text, pin->size);
    size_t size = strlen(field);
    char *value = NULL;
    for (size_t i = 0; i < lines.count && !value; i++) {
        struct span line = lines.at[i];
        if (line.size <= size || memcmp(line.at, field, size) || line.at[size] != ':')
            continue;
        struct span text = span_trim((struct span){line.at + size + 1, line.size - size - 1});
        value = xmemdup(text.at, text.size);
    }
    free(lines.at);
    return value;
}

bool is_release_name(const char *text)
{
    return *text && *text != '.' && strspn(text, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.~+-") == strlen(text);
}

static int only_pins(const struct dirent *entry)
{
    size_t size = strlen(entry->d_name);
    return entry->d_name[0] != '.' && size > 4 && !strcmp(entry->d_name + size - 4, ".pin");
}

struct pins pins_read(const char *repo)
{
    struct pins pins = {0};
    struct dirent **names;
    char *folder = xasprintf("%s/upstream", repo);
    int count = scandir(folder, &names, only_pins, versionsort);
    if (count <= 0)
        die(EXIT_INPUT, "no pin in %s", folder);
    pins.at = xcalloc((size_t)count, sizeof(*pins.at));
    for (int i = 0; i < count; i++) {
        struct pin *pin = &pins.at[pins.count++];
        pin->path = xasprintf("%s/%s", folder, names[i]->d_name);
        pin->text = must_read_file(pin->path, &pin->size);
        if (memchr(pin->text, '\r', pin->size) || memchr(pin->text, '\0', pin->size))
            die(EXIT_INPUT, "%s has CRLF line ends or NUL bytes; convert it to text with LF", pin->path);
        pin->package = pin_field(pin, "Package");
        pin->version = pin_field(pin, "Version");
        pin->series = pin_field(pin, "Series");
        if (!pin->package || !pin->version)
            die(EXIT_INPUT, "%s: Package or Version is missing", pin->path);
        if (!isdigit((unsigned char)*pin->version) || !is_release_name(pin->version))
            die(EXIT_INPUT, "%s: Version: %s is no version; take the like of 3.4.5", pin->path, pin->version);
        free(names[i]);
    }
    free(names);
    free(folder);
    return pins;
}

void pins_free(struct pins *pins)
{
    for (size_t i = 0; i < pins->count; i++) {
        free(pins->at[i].path);
        free(pins->at[i].package);
        free(pins->at[i].version);
        free(pins->at[i].series);
        free(pins->at[i].text);
    }
    free(pins->at);
    *pins = (struct pins){0};
}

int version_compare(const char *a, const char *b)
{
    while (*a || *b) {
        unsigned long x = 0, y = 0;
        while (*a && !isdigit((unsigned char)*a))
            a++;
        while (*b && !isdigit((unsigned char)*b))
            b++;
        if (!*a || !*b)
            return (*a != 0) - (*b != 0);
        x = strtoul(a, (char **)&a, 10);
        y = strtoul(b, (char **)&b, 10);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

char *version_minor(const char *version)
{
    const char *dot = strchr(version, '.');
    dot = dot ? strchr(dot + 1, '.') : NULL;
    return dot ? xmemdup(version, (size_t)(dot - version)) : xstrdup(version);
}

bool release_of(const char *path, char **package, char **version)
{
    static const char *const ends[] = {".tar", ".orig", ".gem", ".tgz", ".gz", ".xz", ".bz2", ".zst", ".dsc", ".src.rpm"};
    char *full = realpath(path, NULL), *slash = full ? strrchr(full, '/') : NULL;
    char *name = xstrdup(slash ? slash + 1 : path);
    free(full);
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
            size_t size = strlen(name), end = strlen(ends[i]);
            if (size > end && !strcmp(name + size - end, ends[i])) {
                name[size - end] = '\0';
                again = true;
            }
        }
    }
    char *sep = NULL;
    for (char *p = name; *p; p++)
        if ((*p == '-' || *p == '_') && (isdigit((unsigned char)p[1]) || (p[1] == 'v' && isdigit((unsigned char)p[2]))))
            sep = p;
    if (sep) {
        *package = xmemdup(name, (size_t)(sep - name));
        *version = xstrdup(sep + 1 + (sep[1] == 'v'));
    }
    free(name);
    return sep != NULL;
}

struct pin *pin_of_series(const struct pins *pins, const char *series)
{
    struct pin *found = NULL;
    for (size_t i = 0; i < pins->count; i++) {
        struct pin *pin = &pins->at[i];
        if (!pin->series)
            continue;
        char *name = xasprintf("%s/%s", pin->package, pin->series);
        bool is = !strcmp(series, name) || !strcmp(series, pin->series);
        free(name);
        if (is && found)
            die(EXIT_INPUT, "%s is a series of %s and of %s; say PACKAGE/%s", series, found->package, pin->package, series);
        if (is)
            found = pin;
    }
    return found;
}

/* "ruby3.4" in a Debian tarball's name is the package ruby. */
static bool names_package(const char *name, const char *package)
{
    size_t size = strlen(package);
    return !strncmp(name, package, size) && strspn(name + size, "0123456789.") == strlen(name + size);
}

struct pin *pin_choose(const struct pins *pins, const char *series, const char *tarball)
{
    char *package, *version;
    if (series && *series) {
        struct pin *pin = pin_of_series(pins, series);
        if (pin)
            return pin;
        struct buf known = {0};
        for (size_t i = 0; i < pins->count; i++)
            if (pins->at[i].series)
                buf_printf(&known, " %s/%s", pins->at[i].package, pins->at[i].series);
        die(EXIT_INPUT, "no series %s; there are%s", series, known.data ? known.data : " none");
    }
    if (!release_of(tarball, &package, &version))
        die(EXIT_INPUT, "the name of %s tells no package and version; say which series", tarball);
    struct pin *best = NULL;
    for (size_t i = 0; i < pins->count; i++) {
        struct pin *pin = &pins->at[i];
        if (!pin->series || !names_package(package, pin->package))
            continue;
        bool older = best && version_compare(best->series, version) <= 0;
        if (!best || (version_compare(pin->series, version) <= 0 ? !older || version_compare(pin->series, best->series) > 0
                                                                 : !older && version_compare(pin->series, best->series) < 0))
            best = pin;
    }
    if (!best)
        die(EXIT_INPUT, "no series for the package of %s (%s); say which", tarball, package);
    free(package);
    free(version);
    return best;
}

struct patch *patch_read(const char *path, const char *name)
{
    char error[256];
    size_t size;
    char *data = must_read_file(path, &size);
    struct patch *patch = patch_parse(name, data, size, error, sizeof(error));
    if (!patch)
        die(EXIT_INPUT, "%s: %s", path, error);
    return patch;
}

struct series *series_read(const char *repo, const struct pin *pin)
{
    struct series *series = xcalloc(1, sizeof(*series));
    series->name = xasprintf("%s/%s", pin->package, pin->series);
    series->folder = xasprintf("%s/patches/%s", repo, series->name);
    char *file = xasprintf("%s/series", series->folder);
    size_t size;
    char *text = must_read_file(file, &size);
    if (memchr(text, '\r', size) || memchr(text, '\0', size))
        die(EXIT_INPUT, "%s has CRLF line ends or NUL bytes; convert it to text with LF", file);
    struct lines lines = lines_split(text, size);
    for (size_t i = 0; i < lines.count; i++) {
        struct span line = lines.at[i];
        const char *hash = memchr(line.at, '#', line.size);
        if (hash)
            line.size = (size_t)(hash - line.at);
        line = span_trim(line);
        if (!line.size)
            continue;
        char *name = xmemdup(line.at, line.size);
        if (name[strcspn(name, " \t")])
            die(EXIT_INPUT, "%s gives options to quilt: %s; write the patch for -p1", file, name);
        if (strchr(name, '/'))
            die(EXIT_INPUT, "%s names a patch in another folder: %s; move it here", file, name);
        for (size_t p = 0; p < series->count; p++)
            if (!strcmp(series->patches[p]->name, name))
                die(EXIT_INPUT, "%s names %s twice; take one of the lines out", file, name);
        char *path = xasprintf("%s/%s", series->folder, name);
        series->patches = xrealloc(series->patches, series->count + 1, sizeof(*series->patches));
        series->patches[series->count++] = patch_read(path, name);
        free(path);
        free(name);
    }
    if (!series->count)
        die(EXIT_INPUT, "%s names no patch", file);
    free(lines.at);
    free(text);
    free(file);
    return series;
}

void series_free(struct series *series)
{
    for (size_t i = 0; i < series->count; i++)
        patch_free(series->patches[i]);
    free(series->patches);
    free(series->name);
    free(series->folder);
    free(series);
}

/* The words of a line; the caller frees the list. */
static struct strings split_words(struct span line)
{
    struct strings list = {0};
    char *text = xmemdup(line.at, line.size), *rest = NULL;
    for (char *word = strtok_r(text, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest))
        strings_add(&list, word);
    free(text);
    return list;
}

char *pin_tarball(const char *repo, const struct pin *pin)
{
    const char *local = getenv("PATCHSET_DISTDIR");
    char *below = xasprintf("%s/dist/upstream", repo), *found = NULL;
    const char *folders[] = {local && *local ? local : NULL, "dist/upstream", below};
    struct lines lines = lines_split(pin->text, pin->size);
    for (size_t i = 0; i < lines.count && !found; i++) {
        struct strings words = split_words(lines.at[i]);
        if (words.count >= 4 && !strcmp(words.at[0], "Origin:")) {
            const char *slash = strrchr(words.at[2], '/'), *kind = words.at[1], *hash = words.at[words.count - 1];
            char *file = !strcmp(kind, "upstream") ? xstrdup(slash ? slash + 1 : words.at[2])
                         : !strcmp(kind, "debian") && words.count == 6 ? xstrdup(words.at[4])
                         : xasprintf("%s-%s.gem", words.at[2], words.at[3]);
            for (size_t f = 0; f < 3 && !found; f++) {
                if (!folders[f])
                    continue;
                found = xasprintf("%s/%s", folders[f], file);
                if (!is_file(found)) {
                    free(found);
                    found = NULL;
                    continue;
                }
                char *actual = sha256_file(found);
                if (strcmp(actual, hash))
                    die(EXIT_INPUT, "%s: SHA-256 is %s, the pin says %s; remove it and fetch it again", found, actual, hash);
                free(actual);
            }
            free(file);
        }
        strings_free(&words);
    }
    free(lines.at);
    free(below);
    return found;
}

char *pin_must_have(const char *command, const char *repo, const struct pin *pin, const char *named)
{
    char *found = named ? xstrdup(named) : pin_tarball(repo, pin);
    if (!found)
        die(EXIT_INPUT, "%s: no tarball of %s %s in dist/upstream; sh build-aux/fetch %s gets it, or name it with --old",
            command, pin->package, pin->version, pin->path);
    return found;
}

void series_paths(const struct series *series, struct strings *paths)
{
    for (size_t i = 0; i < series->count; i++) {
        const struct patch *patch = series->patches[i];
        for (size_t f = 0; f < patch->count; f++) {
            if (!strings_have(paths, patch->files[f].old_path))
                strings_add(paths, patch->files[f].old_path);
            if (!strings_have(paths, patch->files[f].new_path))
                strings_add(paths, patch->files[f].new_path);
        }
    }
}
