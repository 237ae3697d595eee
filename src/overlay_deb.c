/* The overlay on an unpacked Debian source package. */
#define _GNU_SOURCE
#include "overlay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text_of(const char *folder, const char *name, bool needed)
{
    char *path = xasprintf("%s/%s", folder, name);
    size_t size;
    char *text = needed ? must_read_file(path, &size) : read_file(path, &size);
    free(path);
    return text;
}

/* Is the name a line of the list? */
static bool listed(const char *list, const char *name)
{
    struct lines lines = lines_split(list, strlen(list));
    bool found = false;
    for (size_t i = 0; i < lines.count && !found; i++) {
        struct span line = span_trim(lines.at[i]);
        found = line.size == strlen(name) && !memcmp(line.at, name, line.size);
    }
    free(lines.at);
    return found;
}

/* The tree must have all patches of theirs, which ours come after. */
static void need_applied(const char *name_of, const char *folder, const char *series)
{
    char *applied = text_of(folder, ".pc/applied-patches", false);
    struct lines lines = lines_split(series, strlen(series));
    for (size_t i = 0; i < lines.count; i++) {
        struct span line = span_trim(lines.at[i]);
        if (!line.size || line.at[0] == '#')
            continue;
        char *name = xmemdup(line.at, line.size);
        name[strcspn(name, " \t")] = '\0';
        if (!applied || !listed(applied, name))
            die(EXIT_INPUT, "%s: %s of debian/patches is not applied; run QUILT_PATCHES=debian/patches quilt push -a there, or give the .dsc", name_of, name);
        free(name);
    }
    free(lines.at);
    free(applied);
}

bool overlay_debian(struct overlay *overlay, const char *folder, char **version)
{
    char *changelog = text_of(folder, "debian/changelog", true), *format = text_of(folder, "debian/source/format", false);
    char *package = NULL, *distribution = NULL;
    if (sscanf(changelog, "%ms (%m[^)]) %m[^;\n]", &package, version, &distribution) != 3)
        die(EXIT_INPUT, "%s/debian/changelog does not start with PACKAGE (VERSION) SUITE", overlay->name);
    if (!format || strncmp(format, "3.0 (quilt)", 11))
        die(EXIT_INPUT, "%s is not in the format 3.0 (quilt), the only one with a place for patches", overlay->name);
    const char *colon = strchr(*version, ':'), *from = colon ? colon + 1 : *version, *dash = strrchr(from, '-');
    if (!dash)
        die(EXIT_INPUT, "%s: the version %s has no Debian revision", overlay->name, *version);
    char *upstream = xmemdup(from, (size_t)(dash - from));
    overlay_choose(overlay, package, upstream);

    char *list = text_of(folder, "debian/patches/series", false);
    if (!list)
        list = xstrdup("");
    size_t there = 0;
    for (size_t i = 0; i < overlay->series->count; i++)
        there += listed(list, overlay->series->patches[i]->name);
    if (there == overlay->series->count)
        return false;
    if (there)
        die(EXIT_INPUT, "%s has some patches of the series by their names, but not all; take those out first", overlay->name);
    need_applied(overlay->name, folder, list);
    char *patches = xasprintf("%s/debian/patches", folder);
    make_folders(patches);
    overlay_write_patches(overlay, folder, patches);

    struct buf series = {0}, entry = {0};
    buf_puts(&series, list);
    if (series.size && series.data[series.size - 1] != '\n')
        buf_puts(&series, "\n");
    char *old = *version;
    /* Sorts above theirs, and below their next revision, update or rebuild. */
    *version = xasprintf("%s+0patchset%s", old, overlay->number);
    buf_printf(&entry, "%s (%s) %s; urgency=medium\n\n  * Add the series %s of ruby-patchset:\n", package, *version, distribution, overlay->series->name);
    for (size_t i = 0; i < overlay->series->count; i++) {
        const struct patch *patch = overlay->series->patches[i];
        char *what = patch_field(patch, "Description");
        buf_printf(&series, "%s\n", patch->name);
        buf_printf(&entry, "    - %.*s\n", what ? (int)strcspn(what, "\n") : (int)strlen(patch->name), what ? what : patch->name);
        free(what);
    }
    buf_printf(&entry, "\n -- %s  %s\n\n", overlay->author, overlay->date);
    buf_puts(&entry, changelog);
    char *path = xasprintf("%s/series", patches), *log = xasprintf("%s/debian/changelog", folder), *output = xasprintf("%s/../quilt.out", folder);
    write_file(path, series.data, series.size);
    write_file(log, entry.data, entry.size);
    setenv("QUILT_PATCHES", "debian/patches", 1);
    setenv("QUILT_PC", ".pc", 1);
    unsetenv("QUILT_SERIES");
    if (run(folder, output, "quilt", "--quiltrc", "/dev/null", "push", "-a", "--fuzz=0", NULL))
        program_failed(EXIT_FAILED, "quilt push", output);
    free(path);
    free(log);
    free(output);
    free(patches);
    free(old);
    free(list);
    free(upstream);
    free(package);
    free(distribution);
    free(format);
    free(changelog);
    buf_free(&series);
    buf_free(&entry);
    return true;
}
