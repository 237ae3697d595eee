/* The overlay on a folder with a spec file and its sources. */
#define _GNU_SOURCE
#include "overlay.h"

#include <ctype.h>
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* Runs `rpmspec` for one tag of the source package. */
static char *spec_query(const char *spec, const char *sources, const char *work, const char *format)
{
    char *output = xasprintf("%s/query.out", work), *define = xasprintf("_sourcedir %s", sources);
    if (run(NULL, output, "rpmspec", "--query", "--srpm", "--define", define, "--queryformat", format, spec, NULL))
        program_failed(EXIT_FAILED, "rpmspec", output);
    size_t size;
    char *text = must_read_file(output, &size);
    free(output);
    free(define);
    return text;
}

/* %prep alone, below `build`; the folder that it leaves. */
static char *prepare(const char *name, const char *spec, const char *sources, const char *build, const char *work)
{
    char *output = xasprintf("%s/prep.out", work), *found = NULL;
    char *defines[] = {xasprintf("_topdir %s", work), xasprintf("_sourcedir %s", sources), xasprintf("_builddir %s", build)};
    make_folders(build);
    if (run(NULL, output, "rpmbuild", "-bp", "--nodeps", "--define", defines[0], "--define", defines[1], "--define", defines[2], spec, NULL))
        program_failed(EXIT_FAILED, "rpmbuild -bp", output);
    DIR *folder = opendir(build);
    for (struct dirent *entry; folder && (entry = next_entry(folder, build));) {
        char *path = xasprintf("%s/%s", build, entry->d_name);
        if (entry->d_name[0] != '.' && is_folder(path)) {
            if (found)
                die(EXIT_INPUT, "%s unpacks more than one folder, so the source tree is not known", name);
            found = path;
        } else {
            free(path);
        }
    }
    if (folder)
        closedir(folder);
    if (!found)
        die(EXIT_INPUT, "%s unpacks no folder", name);
    for (int i = 0; i < 3; i++)
        free(defines[i]);
    free(output);
    return found;
}

static bool tag(struct span line, const char *name)
{
    size_t size = strlen(name), i = size;
    if (line.size <= size || strncasecmp(line.at, name, size))
        return false;
    while (i < line.size && isdigit((unsigned char)line.at[i]))
        i++;
    return i < line.size && line.at[i] == ':';
}

static bool begins(struct span line, const char *text)
{
    return line.size >= strlen(text) && !memcmp(line.at, text, strlen(text));
}

static bool contains(struct span line, const char *text) { return memmem(line.at, line.size, text, strlen(text)) != NULL; }

struct layout { size_t tags, prep, patches, changelog; unsigned long number; bool automatic; };

/* Where the spec takes tags, patches and changelog entries. */
static struct layout look_at(const struct lines *lines, const char *name)
{
    struct layout at = {.tags = SIZE_MAX, .prep = SIZE_MAX, .changelog = SIZE_MAX};
    bool in_prep = false;
    for (size_t i = 0; i < lines->count; i++) {
        struct span line = lines->at[i];
        if (tag(line, "Source") || tag(line, "Patch"))
            at.tags = i;
        if (tag(line, "Patch")) {
            unsigned long number = strtoul(line.at + 5, NULL, 10);
            at.patches++;
            at.number = number + 1 > at.number ? number + 1 : at.number;
        }
        if (begins(line, "%changelog"))
            at.changelog = i;
        if (begins(line, "%prep"))
            in_prep = true;
        else if (begins(line, "%build") || begins(line, "%install"))
            in_prep = false;
        if (!in_prep)
            continue;
        if ((begins(line, "%autosetup") && !contains(line, " -N")) || begins(line, "%autopatch")) {
            at.automatic = true;
            if (!contains(line, "-p1"))
                die(EXIT_INPUT, "%s applies its patches without -p1, which ours need; add -p1 to that line", name);
        }
        if (begins(line, "%setup") || begins(line, "%autosetup") || begins(line, "%patch"))
            at.prep = i;
    }
    if (at.tags == SIZE_MAX || at.prep == SIZE_MAX)
        die(EXIT_INPUT, "%s has no Source, or no %%setup or %%autosetup; add the patches by hand", name);
    if (at.number < at.patches)
        at.number = at.patches;
    return at;
}

/* "Release: 1%{?dist}" becomes "1.0.patchset1%{?dist}", above 1 and below 1.1. */
static void add_release(struct buf *out, struct span line, const char *number)
{
    const char *dist = memmem(line.at, line.size, "%{?dist}", 8);
    struct span text = line;
    while (text.size && isspace((unsigned char)text.at[text.size - 1]))
        text.size--;
    if (contains(text, "%autorelease"))
        buf_printf(out, "%.*s -e 0.patchset%s\n", (int)text.size, text.at, number);
    else if (dist)
        buf_printf(out, "%.*s.0.patchset%s%.*s", (int)(dist - line.at), line.at, number, (int)(line.size - (size_t)(dist - line.at)), dist);
    else
        buf_printf(out, "%.*s.0.patchset%s\n", (int)text.size, text.at, number);
}

static void add_entry(struct buf *out, const struct overlay *overlay, const char *version, const char *release)
{
    struct tm tm = {0};
    char date[64];
    if (!strptime(overlay->date, "%a, %d %b %Y", &tm))
        die(EXIT_INPUT, "%s: Date is no date: %s", overlay->pin->path, overlay->date);
    strftime(date, sizeof(date), "%a %b %d %Y", &tm);
    buf_printf(out, "* %s %s - %s-%s\n- Add the series %s of ruby-patchset\n\n", date, overlay->author, version, release, overlay->series->name);
}

static char *new_spec(const struct overlay *overlay, const struct lines *lines, const struct layout *at, const char *version, const char *release)
{
    struct buf out = {0};
    bool released = false;
    for (size_t i = 0; i < lines->count; i++) {
        struct span line = lines->at[i];
        if (tag(line, "Release") && !released) {
            add_release(&out, line, overlay->number);
            released = true;
        } else {
            buf_add(&out, line.at, line.size);
        }
        for (size_t p = 0; i == at->tags && p < overlay->series->count; p++)
            buf_printf(&out, "Patch%lu: %s\n", at->number + p, overlay->series->patches[p]->name);
        for (size_t p = 0; i == at->prep && !at->automatic && p < overlay->series->count; p++)
            buf_printf(&out, "%%patch -P %lu -p1\n", at->number + p);
        if (i == at->changelog && !(i + 1 < lines->count && begins(lines->at[i + 1], "%autochangelog")))
            add_entry(&out, overlay, version, release);
    }
    return out.data;
}

char *spec_find(const char *folder, const char *name)
{
    char *found = NULL;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = next_entry(entries, folder));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".spec"))
            continue;
        if (found)
            die(EXIT_INPUT, "%s has more than one spec; leave one", name);
        found = xasprintf("%s/%s", folder, entry->d_name);
    }
    if (entries)
        closedir(entries);
    if (!found)
        die(EXIT_INPUT, "%s has no debian/changelog and no spec, so it is no source package", name);
    return found;
}

bool overlay_spec(struct overlay *overlay, const char *folder, const char *work, char **spec)
{
    *spec = spec_find(folder, overlay->name);
    size_t size, there = 0;
    char *name = spec_query(*spec, folder, work, "%{NAME}"), *version = spec_query(*spec, folder, work, "%{VERSION}");
    /* Fedora's puma is rubygem-puma, ours ruby3.4-rubygem-puma. */
    const char *gem = strstr(name, "rubygem-");
    overlay_choose(overlay, gem ? gem + 8 : name, version);
    char *text = must_read_file(*spec, &size);
    struct lines lines = lines_split(text, size);
    for (size_t p = 0; p < overlay->series->count; p++)
        for (size_t i = 0; i < lines.count; i++) {
            if (tag(lines.at[i], "Patch") && contains(lines.at[i], overlay->series->patches[p]->name)) {
                there++;
                break;
            }
        }
    if (there == overlay->series->count)
        return false;
    if (there)
        die(EXIT_INPUT, "%s has some patches of the series by their names, but not all; take those out first", overlay->name);
    struct layout at = look_at(&lines, overlay->name);
    char *build = xasprintf("%s/build", work), *tree = prepare(overlay->name, *spec, folder, build, work);
    overlay_write_patches(overlay, tree, folder);
    /* The entry of the changelog has the release without %{?dist}. */
    char *release = spec_query(*spec, folder, work, "%{RELEASE}"), *full = xasprintf("%.*s.0.patchset%s", (int)strcspn(release, "."), release, overlay->number);
    char *changed = new_spec(overlay, &lines, &at, version, full);
    write_file(*spec, changed, strlen(changed));
    char *again = xasprintf("%s/again", work);
    free(prepare(overlay->name, *spec, folder, again, work));
    free(name);
    free(version);
    free(lines.at);
    free(text);
    free(build);
    free(tree);
    free(release);
    free(full);
    free(changed);
    free(again);
    return true;
}
