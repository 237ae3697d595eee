/* patchset status: how each series stands on the release of its pin. */
#include "cmd.h"
#include "report.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char status_usage[] =
    "patchset status [--json]\n"
    "  Each pin and series: its verdict on the tarball of the pin, the patches'\n"
    "  diffstat, missing or stale DEP-3 fields, and the release that merged it.\n"
    "  A series whose tarball is not in dist/upstream has no verdict.\n"
    "    --json         for programs\n";

static bool is_date(const char *text)
{
    static const char form[] = "dddd-dd-dd";
    for (size_t i = 0; form[i]; i++)
        if (form[i] == 'd' ? !isdigit((unsigned char)text[i]) : text[i] != form[i])
            return false;
    int month = atoi(text + 5), day = atoi(text + 8);
    return !text[10] && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/* What is wrong with the header, with ", " between; empty: nothing.  Required
 * are the fields that DEP-3 requires, and those that this project adds. */
static char *header_faults(const struct patch *patch, const char *version, char **merged_in)
{
    static const char *const fields[][2] = {{"Description", "Subject"}, {"Author", "From"}, {"Forwarded", "Applied-Upstream"}, {"Last-Update", "Last-Update"}};
    struct buf faults = {0};
    for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
        char *one = patch_field(patch, fields[i][0]), *other = patch_field(patch, fields[i][1]);
        if (!(one && *one) && !(other && *other))
            buf_printf(&faults, "%s%s is missing", faults.size ? ", " : "", fields[i][0]);
        free(one);
        free(other);
    }
    char *date = patch_field(patch, "Last-Update");
    if (date && *date && !is_date(date))
        buf_printf(&faults, "%sLast-Update is no date: %s", faults.size ? ", " : "", date);
    free(date);
    char *upstream = patch_field(patch, "Applied-Upstream");
    *merged_in = upstream ? xmemdup(upstream, strcspn(upstream, ", \n")) : NULL;
    free(upstream);
    if (*merged_in && isdigit((unsigned char)**merged_in) && version_compare(*merged_in, version) <= 0)
        buf_printf(&faults, "%sApplied-Upstream says %s, so %s has it", faults.size ? ", " : "", *merged_in, version);
    buf_add(&faults, "", 0);
    return faults.data;
}

/* One series; gives its share of the exit code and adds to the array. */
static int show_series(const char *repo, const struct pin *pin, json_t *all)
{
    struct series *series = series_read(repo, pin);
    char *tarball = pin_tarball(repo, pin);
    struct patch_result **results = NULL;
    int code = EXIT_CLEAN;
    if (tarball) {
        struct strings paths = {0};
        series_paths(series, &paths);
        struct tree *target = tree_read(tarball, &paths), *old = tree_copy(target);
        results = judge_series(series, target, old);
        code = verdict_exit(worst_verdict(results, series->count));
        tree_free(target);
        tree_free(old);
        strings_free(&paths);
    }
    int width = 0; /* of the names' column */
    for (size_t i = 0; i < series->count; i++)
        if ((int)strlen(series->patches[i]->name) > width)
            width = (int)strlen(series->patches[i]->name);
    const char *verdict = results ? verdict_name(worst_verdict(results, series->count)) : "no tarball";
    json_t *patches = json_must(json_array());
    if (!all)
        printf("%s on %s: %s\n", series->name, pin->version, verdict);
    for (size_t i = 0; i < series->count; i++) {
        const struct patch *patch = series->patches[i];
        size_t added, removed;
        char *merged_in, *faults = header_faults(patch, pin->version, &merged_in);
        char *text = results ? verdict_text(results[i]->verdict, results[i]->offset, results[i]->fuzz) : xstrdup("-");
        patch_stat(patch, &added, &removed);
        if (*faults && code == EXIT_CLEAN)
            code = EXIT_REFRESH;
        if (all)
            json_add(patches, json_pack("{s:o, s:s, s:I, s:I, s:I, s:s, s:o?}", "patch", json_text(patch->name, strlen(patch->name)),
                                        "verdict", text, "files", (json_int_t)patch->count, "added", (json_int_t)added,
                                        "removed", (json_int_t)removed, "header", faults, "merged_in",
                                        merged_in ? json_text(merged_in, strlen(merged_in)) : NULL));
        else
            printf("  %-*s %-14s %zu file%s +%-4zu -%-4zu merged in %s%s%s\n", width, patch->name, text, patch->count,
                   patch->count == 1 ? ", " : "s,", added, removed, merged_in ? merged_in : "no release", *faults ? "; " : "", faults);
        free(merged_in);
        free(faults);
        free(text);
    }
    if (all)
        json_add(all, json_pack("{s:s, s:s, s:s, s:o}", "series", series->name, "version", pin->version, "verdict", verdict, "patches", patches));
    else
        json_decref(patches);
    if (results)
        results_free(results, series->count);
    series_free(series);
    free(tarball);
    return code;
}

int cmd_status(const char *repo, int argc, char **argv)
{
    bool json = false;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--json"))
            die(EXIT_INPUT, "status: what is %s here? patchset status --help", argv[i]);
        json = true;
    }
    struct pins pins = pins_read(repo);
    json_t *all = json ? json_must(json_array()) : NULL;
    int code = EXIT_CLEAN;
    for (size_t i = 0; i < pins.count; i++) {
        int one = pins.at[i].series ? show_series(repo, &pins.at[i], all) : EXIT_CLEAN;
        code = one > code ? one : code;
    }
    if (json)
        json_print(all);
    pins_free(&pins);
    return code;
}
