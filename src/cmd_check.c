/* patchset check: what would become of a series on another release. */
#include "cmd.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char check_usage[] =
    "patchset check [--json] [--old TARBALL] NEW-TARBALL [SERIES]\n"
    "  The verdict of each patch and hunk on another release: a tarball, gem or\n"
    "  folder.  Writes nothing.  SERIES is PACKAGE/RELEASE (puma/6.6); without it,\n"
    "  that of the same release as NEW-TARBALL, else the next older one.\n"
    "    --json         for programs\n"
    "    --old TARBALL  what the series was made for, if not in dist/upstream\n";

int cmd_check(const char *repo, int argc, char **argv)
{
    bool json = false;
    const char *named = NULL;
    const char *words[2] = {NULL, NULL};
    int count = 0;
    for (int i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            json = true;
        else if (!strcmp(argv[i], "--old") && i + 1 < argc)
            named = argv[++i];
        else if (!strcmp(argv[i], "--old"))
            die(EXIT_INPUT, "check: %s needs a value; patchset check --help", argv[i]);
        else if (argv[i][0] == '-' || count == 2)
            die(EXIT_INPUT, "check: what is %s here? patchset check --help", argv[i]);
        else
            words[count++] = argv[i];
    }
    if (!count)
        die(EXIT_INPUT, "check: which tarball? patchset check --help");
    must_be_readable(words[0]);
    struct pins pins = pins_read(repo);
    struct pin *pin = pin_choose(&pins, words[1], words[0]);
    struct series *series = series_read(repo, pin);
    struct strings paths = {0};
    series_paths(series, &paths);
    struct tree *target = tree_read(words[0], &paths), *old = NULL;
    char *old_path = named ? xstrdup(named) : pin_tarball(repo, pin);
    if (old_path)
        old = tree_read(old_path, &paths);
    if (named)
        must_be_made_for(series, old, named);
    if (!old)
        warn("no tarball of %s %s in dist/upstream (sh build-aux/fetch %s); functions and counts are judged from the patches alone",
             pin->package, pin->version, pin->path);
    char *name = xstrdup(target->name);
    struct patch_result **results = judge_series(series, target, old);
    if (json)
        json_print(report_json(series, results, name));
    else
        report_table(series, results, name);
    int code = verdict_exit(worst_verdict(results, series->count));
    results_free(results, series->count);
    free(name);
    free(old_path);
    tree_free(target);
    tree_free(old);
    strings_free(&paths);
    series_free(series);
    pins_free(&pins);
    return code;
}
