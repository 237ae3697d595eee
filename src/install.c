/* Puts a rebased series and its pin into the checkout. */
#include "rebase.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Replaces all of `old` in text; the caller frees the result. */
static char *replaced(const char *text, const char *old, const char *new)
{
    struct buf out = {0};
    for (const char *hit; *old && (hit = strstr(text, old)); text = hit + strlen(old)) {
        buf_add(&out, text, (size_t)(hit - text));
        buf_puts(&out, new);
    }
    buf_puts(&out, text);
    return out.data;
}

/* The origin of the new tarball: the gem, or the old pin's URL with the new
 * release where that has the tarball's name; else the local file. */
static char *origin(const struct rebase *rebase, bool *local)
{
    char *hash = sha256_file(rebase->tarball), *found = NULL;
    const char *file = base_name(rebase->tarball);
    char *gem = xasprintf("%s-%s.gem", rebase->pin->package, rebase->version);
    *local = false;
    if (!strcmp(file, gem))
        found = xasprintf("gem %s %s %s", rebase->pin->package, rebase->version, hash);
    struct lines lines = lines_split(rebase->pin->text, rebase->pin->size);
    for (size_t i = 0; i < lines.count && !found; i++) {
        char *line = xmemdup(lines.at[i].at, lines.at[i].size), *url = NULL;
        if (sscanf(line, "Origin: upstream %ms", &url) == 1) {
            char *old_minor = version_minor(rebase->pin->version), *new_minor = version_minor(rebase->version);
            char *version = replaced(url, rebase->pin->version, "\1"), *minor = replaced(version, old_minor, new_minor);
            char *full = replaced(minor, "\1", rebase->version);
            if (!strcmp(base_name(full), file))
                found = xasprintf("upstream %s %s", full, hash);
            free(old_minor);
            free(new_minor);
            free(version);
            free(minor);
            free(full);
        }
        free(url);
        free(line);
    }
    if (!found) {
        char *path = must_realpath(rebase->tarball);
        found = xasprintf("upstream file://%s %s", path, hash);
        *local = true;
        free(path);
    }
    free(lines.at);
    free(gem);
    free(hash);
    return found;
}

/* The old pin's lines with the new release's values.  Onto the same release,
 * it is the next patchset, and the revision must not go back; the same tarball
 * keeps its origins. */
static char *new_pin(const struct rebase *rebase, bool *local)
{
    struct buf out = {0};
    bool same = !strcmp(rebase->version, rebase->pin->version);
    char *hash = sha256_file(rebase->tarball), date[64];
    char *from = strstr(rebase->pin->text, hash) ? NULL : origin(rebase, local);
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    time_t now = epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
    struct tm tm;
    strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S +0000", gmtime_r(&now, &tm));
    struct lines lines = lines_split(rebase->pin->text, rebase->pin->size);
    for (size_t i = 0; i < lines.count; i++) {
        struct span line = lines.at[i];
        if (!strncmp(line.at, "Version:", 8))
            buf_printf(&out, "Version: %s\n", rebase->version);
        else if (!strncmp(line.at, "Series:", 7))
            buf_printf(&out, "Series: %s\n", rebase->as);
        else if (!strncmp(line.at, "Debian-Revision:", 16) && !same)
            buf_puts(&out, "Debian-Revision: 0\n"); /* below any that Debian may have */
        else if (!strncmp(line.at, "Patchset:", 9))
            buf_printf(&out, "Patchset: %lu\n", same ? strtoul(line.at + 9, NULL, 10) + 1 : 1);
        else if (!strncmp(line.at, "Date:", 5))
            buf_printf(&out, "Date: %s\n", date);
        else if (!strncmp(line.at, "Canonical:", 10) && from)
            buf_printf(&out, "Canonical: %.*s\n", (int)strcspn(from, " "), from);
        else if (strncmp(line.at, "Origin:", 7) || !from)
            buf_add(&out, line.at, line.size);
    }
    if (from)
        buf_printf(&out, "Origin: %s\n", from);
    free(hash);
    free(lines.at);
    free(from);
    return out.data;
}

void install_series(const struct rebase *rebase, const struct outcomes *outcomes)
{
    struct buf list = {0};
    size_t left = 0;
    for (size_t i = 0; i < outcomes->count; i++) {
        left += !outcomes->at[i].dropped;
        if (outcomes->at[i].dropped)
            buf_printf(&list, "# %s: merged in %s\n", outcomes->at[i].name, rebase->version);
        else
            buf_printf(&list, "%s\n", outcomes->at[i].name);
    }
    if (!left)
        die(EXIT_MERGED, "%s %s has every patch of the series, so it needs none; nothing was written", rebase->pin->package, rebase->version);
    bool local = false;
    char *pin = new_pin(rebase, &local);
    const char *stage = temp_folder(rebase->repo);
    char *series_stage = xasprintf("%s/series", stage), *pin_stage = xasprintf("%s/pin", stage), *away = xasprintf("%s/old", stage);
    make_folders(series_stage);
    for (size_t i = 0; i <= outcomes->count; i++) {
        bool is_list = i == outcomes->count;
        char *path = xasprintf("%s/%s", series_stage, is_list ? "series" : outcomes->at[i].name);
        write_file(path, is_list ? list.data : outcomes->at[i].text, is_list ? list.size : outcomes->at[i].size);
        free(path);
    }
    write_file(pin_stage, pin, strlen(pin));
    char *series = xasprintf("%s/patches/%s/%s", rebase->repo, rebase->pin->package, rebase->as);
    char *target = xasprintf("%s/upstream/%s-%s.pin", rebase->repo, rebase->pin->package, rebase->as);
    bool replaces = is_folder(series);
    /* Two renames, or three, which no signal parts; a failing one is undone. */
    hold_signals(true);
    if (replaces)
        must_rename(series, away);
    if (rename(series_stage, series) || rename(pin_stage, target)) {
        int error = errno;
        rename(series, series_stage);
        if (replaces)
            rename(away, series);
        die(EXIT_FAILED, "cannot write %s and %s: %s; nothing was changed", series, target, strerror(error));
    }
    hold_signals(false);
    printf("written: %s and %s\n", series, target);
    if (local)
        printf("The pin's origin is the local file; put in its public URL before you publish.\n");
    if (!replaces)
        printf("Next: add the pin to upstream/local.mk and the release to configure.ac (CONTRIBUTING.md, \"Add a release\").\n");
    free(series_stage);
    free(pin_stage);
    free(away);
    free(series);
    free(target);
    free(pin);
    buf_free(&list);
}
