/* patchset overlay: the series in a distribution's own source package. */
#include "cmd.h"
#include "merge.h"
#include "overlay.h"
#include "verdict.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char overlay_usage[] =
    "patchset overlay [--old TARBALL] FILE.dsc|FILE.src.rpm|DIR [SERIES]\n"
    "  Puts the series into a distribution's own source package, after its patches:\n"
    "  into debian/patches, with a changelog entry and the version\n"
    "  THEIRS+0patchsetN, or as PatchN lines into the spec.  A .dsc or .src.rpm gives\n"
    "  a new one in the current folder, DIR is changed in place.  Does nothing the\n"
    "  second time; refuses where theirs has the change, in whole or in part.\n"
    "    --old TARBALL  what the series was made for, if not in dist/upstream\n";

void program_failed(int code, const char *program, const char *output)
{
    size_t size;
    char *text = read_file(output, &size);
    struct lines lines = lines_split(text ? text : "", text ? size : 0);
    struct span last = {"no message", 10};
    for (size_t i = 0; i < lines.count; i++)
        if (span_trim(lines.at[i]).size)
            last = span_trim(lines.at[i]);
    die(code, "%s failed: %.*s; nothing was changed", program, last.size > 300 ? 300 : (int)last.size, last.at);
}

void overlay_choose(struct overlay *overlay, const char *package, const char *version)
{
    char *name = xasprintf("%s-%s", package, version);
    overlay->pin = pin_choose(overlay->pins, overlay->wanted, name);
    overlay->series = series_read(overlay->repo, overlay->pin);
    overlay->number = pin_field(overlay->pin, "Patchset");
    overlay->date = pin_field(overlay->pin, "Date");
    overlay->author = patch_field(overlay->series->patches[0], "Author");
    if (!overlay->number || !overlay->date || !overlay->author)
        die(EXIT_INPUT, "%s: Patchset or Date is missing, or the first patch has no Author; an entry in a changelog needs them", overlay->pin->path);
    free(name);
}

void overlay_write_patches(const struct overlay *overlay, const char *folder, const char *into)
{
    const struct series *series = overlay->series;
    struct strings paths = {0};
    series_paths(series, &paths);
    char *old_path = pin_must_have("overlay", overlay->repo, overlay->pin, overlay->old);
    struct tree *target = tree_read(folder, &paths), *old = tree_read(old_path, &paths);
    if (overlay->old)
        must_be_made_for(series, old, overlay->old);
    struct patch_result **results = judge_series(series, target, old);
    for (size_t i = 0; i < series->count; i++) {
        const struct patch *patch = series->patches[i];
        enum verdict verdict = results[i]->verdict;
        if (verdict == MERGED || verdict == NEAR_MERGE || verdict == PARTLY_MERGED)
            die(EXIT_MERGED, "theirs has %s already (%s); nothing was changed", patch->name, verdict_name(verdict));
        if (verdict != CLEAN && verdict != OFFSET)
            die(verdict == FUZZ ? EXIT_CONFLICT : verdict_exit(verdict), "%s does not apply on theirs (%s); rebase the series onto their source; nothing was changed",
                patch->name, verdict_name(verdict));
        size_t size = patch->size;
        char *text = verdict == OFFSET ? renumber(patch, results[i], &size) : xmemdup(patch->data, size);
        char *path = xasprintf("%s/%s", into, patch->name);
        if (is_file(path))
            die(EXIT_INPUT, "theirs has another file named %s; nothing was changed", patch->name);
        write_file(path, text, size);
        free(path);
        free(text);
    }
    results_free(results, series->count);
    tree_free(target);
    tree_free(old);
    free(old_path);
    strings_free(&paths);
}

/* Moves the files with one of two ends here, all or none; the first end is the
 * package's own.  What is here already stays.  False: so did the package. */
static bool collect(const char *folder, const char *own, const char *other)
{
    bool moved = false;
    struct strings paths = {0};
    DIR *entries = opendir(folder);
    if (!entries)
        die(EXIT_FAILED, "cannot read %s: %s", folder, strerror(errno));
    for (struct dirent *entry; (entry = next_entry(entries, folder));) {
        size_t size = strlen(entry->d_name), length = strlen(own);
        bool is_own = size > length && !strcmp(entry->d_name + size - length, own);
        char *path = xasprintf("%s/%s", folder, entry->d_name);
        if (is_file(path) && (is_own || strstr(entry->d_name, other)) && access(entry->d_name, F_OK)) {
            strings_add(&paths, path);
            moved |= is_own;
        }
        free(path);
    }
    closedir(entries);
    hold_signals(true);
    for (size_t i = 0; i < paths.count; i++) {
        if (rename(paths.at[i], strrchr(paths.at[i], '/') + 1)) {
            const char *path = paths.at[i];
            int error = errno;
            while (i-- > 0)
                unlink(strrchr(paths.at[i], '/') + 1);
            die(EXIT_FAILED, "cannot put %s here: %s", path, strerror(error));
        }
    }
    hold_signals(false);
    strings_free(&paths);
    return moved;
}

static int overlay_dsc(struct overlay *overlay, const char *file, const char *work)
{
    char *tree = xasprintf("%s/tree", work), *output = xasprintf("%s/dpkg.out", work), *results = xasprintf("%s/results", work), *version;
    if (run(NULL, output, "dpkg-source", "-x", file, tree, NULL))
        program_failed(EXIT_INPUT, "dpkg-source -x", output);
    if (!overlay_debian(overlay, tree, &version)) {
        printf("%s has the series already; nothing done\n", file);
        return EXIT_CLEAN;
    }
    /* dpkg-source wants the upstream tarballs beside the new package. */
    make_folders(results);
    char *folder = xstrdup(file), *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    if (run(NULL, output, "sh", "-c", "cp -p \"$1\"/*.orig*.tar.* \"$2\"/", "sh", slash ? folder : ".", results, NULL))
        program_failed(EXIT_FAILED, "cp", output);
    if (run(results, output, "dpkg-source", "-b", "../tree", NULL))
        program_failed(EXIT_FAILED, "dpkg-source -b", output);
    const char *colon = strchr(version, ':');
    char *name = xstrdup(colon ? colon + 1 : version);
    bool moved = collect(results, ".dsc", ".tar.");
    if (moved)
        printf("written: the source package of version %s, with the %zu patches of %s\n", name, overlay->series->count, overlay->series->name);
    else
        printf("the source package of version %s is here already; nothing done\n", name);
    free(name);
    free(folder);
    free(tree);
    free(output);
    free(results);
    free(version);
    return EXIT_CLEAN;
}

static int overlay_srpm(struct overlay *overlay, const char *file, const char *work)
{
    char *sources = xasprintf("%s/sources", work), *output = xasprintf("%s/rpm.out", work), *spec;
    make_folders(sources);
    tree_unpack(file, sources);
    if (!overlay_spec(overlay, sources, work, &spec)) {
        printf("%s has the series already; nothing done\n", file);
        return EXIT_CLEAN;
    }
    char *top = xasprintf("_topdir %s", work), *in = xasprintf("_sourcedir %s", sources), *out = xasprintf("_srcrpmdir %s/results", work), *results = xasprintf("%s/results", work);
    if (run(NULL, output, "rpmbuild", "-bs", "--nodeps", "--define", top, "--define", in, "--define", out, spec, NULL))
        program_failed(EXIT_FAILED, "rpmbuild -bs", output);
    bool moved = collect(results, ".src.rpm", ".src.rpm");
    if (moved)
        printf("written: the source rpm with the %zu patches of %s\n", overlay->series->count, overlay->series->name);
    else
        printf("the source rpm is here already; nothing done\n");
    free(top);
    free(in);
    free(out);
    free(results);
    free(sources);
    free(output);
    free(spec);
    return EXIT_CLEAN;
}

/* A copy is changed, and takes the folder's place. */
static int overlay_folder(struct overlay *overlay, const char *folder, const char *work)
{
    char *copy = xasprintf("%s/tree", work), *away = xasprintf("%s/old", work), *output = xasprintf("%s/cp.out", work);
    char *changelog = xasprintf("%s/debian/changelog", folder), *name;
    if (run(NULL, output, "cp", "-a", folder, copy, NULL))
        program_failed(EXIT_FAILED, "cp", output);
    bool changed = is_file(changelog) ? overlay_debian(overlay, copy, &name) : overlay_spec(overlay, copy, work, &name);
    if (!changed) {
        printf("%s has the series already; nothing done\n", folder);
        return EXIT_CLEAN;
    }
    hold_signals(true);
    must_rename(folder, away);
    if (rename(copy, folder)) {
        int error = errno;
        must_rename(away, folder);
        die(EXIT_FAILED, "cannot replace %s: %s; nothing was changed", folder, strerror(error));
    }
    hold_signals(false);
    printf("written: %s, with the %zu patches of %s\n", folder, overlay->series->count, overlay->series->name);
    free(copy);
    free(away);
    free(output);
    free(changelog);
    free(name);
    return EXIT_CLEAN;
}

int cmd_overlay(const char *repo, int argc, char **argv)
{
    const char *old = NULL, *words[2] = {NULL, NULL};
    int count = 0;
    for (int i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "--old") && i + 1 < argc)
            old = argv[++i];
        else if (!strcmp(argv[i], "--old"))
            die(EXIT_INPUT, "overlay: %s needs a value; patchset overlay --help", argv[i]);
        else if (argv[i][0] == '-' || count == 2)
            die(EXIT_INPUT, "overlay: what is %s here? patchset overlay --help", argv[i]);
        else
            words[count++] = argv[i];
    }
    if (!count)
        die(EXIT_INPUT, "overlay: which source package? patchset overlay --help");
    char *source = must_realpath(words[0]);
    struct pins pins = pins_read(repo);
    struct overlay overlay = {.repo = repo, .name = words[0], .pins = &pins, .wanted = words[1], .old = old};
    size_t size = strlen(source);
    bool folder = is_folder(source), dsc = size > 4 && !strcmp(source + size - 4, ".dsc"), srpm = size > 8 && !strcmp(source + size - 8, ".src.rpm");
    if (!folder && !dsc && !srpm)
        die(EXIT_INPUT, "overlay: %s is no .dsc, .src.rpm or folder", words[0]);
    /* A copy is made of what is a source package alone. */
    char *changelog = xasprintf("%s/debian/changelog", source);
    if (folder && !is_file(changelog))
        free(spec_find(source, words[0]));
    free(changelog);
    /* On the file system of the result, since the last step is a rename. */
    char *above = xasprintf("%s/..", source), *parent = must_realpath(folder ? above : ".");
    const char *work = temp_folder(parent);
    int code = folder ? overlay_folder(&overlay, source, work) : dsc ? overlay_dsc(&overlay, source, work) : overlay_srpm(&overlay, source, work);
    if (overlay.series)
        series_free(overlay.series);
    free(overlay.number);
    free(overlay.author);
    free(overlay.date);
    free(above);
    free(parent);
    free(source);
    pins_free(&pins);
    return code;
}
