/* patchset rebase: the series for another release. */
#include "cmd.h"
#include "rebase.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char rebase_usage[] =
    "patchset rebase [--as RELEASE] [--old TARBALL] NEW-TARBALL [SERIES]\n"
    "patchset rebase --continue|--abort [FOLDER]\n"
    "  Makes the series and the pin for another release.  A patch that applies as\n"
    "  it is stays byte for byte, a moved one is refreshed, one that fits nowhere is\n"
    "  merged three ways between the old and the new release; a merged one is\n"
    "  dropped from series and says so in Applied-Upstream.  What needs a hand is\n"
    "  left in the folder rebase-PACKAGE-RELEASE.\n"
    "    --as RELEASE   name of the new series (default: 7.0 for version 7.0.3)\n"
    "    --old TARBALL  what the series was made for, if not in dist/upstream\n"
    "    --continue     go on after that folder's files were edited\n"
    "    --abort        remove that folder; the checkout is as before\n";

/* "name value" in the state of a work folder. */
static char *state_field(const char *work, const char *name)
{
    char *path = xasprintf("%s/state", work);
    size_t size, length = strlen(name);
    char *text = must_read_file(path, &size), *value = NULL;
    struct lines lines = lines_split(text, size);
    for (size_t i = 0; i < lines.count && !value; i++) {
        struct span line = span_trim(lines.at[i]);
        if (line.size > length && !memcmp(line.at, name, length) && line.at[length] == ' ')
            value = xmemdup(line.at + length + 1, line.size - length - 1);
    }
    if (!value)
        die(EXIT_INPUT, "%s has no %s; patchset rebase --abort %s removes the folder", path, name, work);
    free(lines.at);
    free(text);
    free(path);
    return value;
}

/* The work folder in the current one, where none is named. */
static char *find_work(const char *named)
{
    char *found = named ? xstrdup(named) : NULL;
    DIR *folder = named ? NULL : opendir(".");
    for (struct dirent *entry; folder && (entry = next_entry(folder, "."));) {
        char *state = xasprintf("%s/state", entry->d_name);
        if (!strncmp(entry->d_name, "rebase-", 7) && is_file(state)) {
            if (found)
                die(EXIT_INPUT, "rebase: %s and %s are both here; say which", found, entry->d_name);
            found = xstrdup(entry->d_name);
        }
        free(state);
    }
    if (folder)
        closedir(folder);
    char *state = found ? xasprintf("%s/state", found) : NULL;
    if (!state || !is_file(state))
        die(EXIT_INPUT, "rebase: %s is no rebase to go on with; start one with patchset rebase NEW-TARBALL", named ? named : "in this folder there");
    free(state);
    return found;
}

static void start(struct rebase *rebase, struct pins *pins, const char *tarball, const char *series, const char *as, const char *old)
{
    char *package;
    must_be_readable(tarball);
    if (!is_file(tarball))
        die(EXIT_INPUT, "rebase: %s is no tarball or gem, which a pin can name with its hash", tarball);
    if (!release_of(tarball, &package, &rebase->version))
        die(EXIT_INPUT, "rebase: the name of %s tells no version; rename it to PACKAGE-VERSION.tar.gz", tarball);
    free(package);
    rebase->pin = pin_choose(pins, series, tarball);
    rebase->tarball = xstrdup(tarball);
    size_t prefix = strlen(rebase->pin->package);
    if (as && !strncmp(as, rebase->pin->package, prefix) && as[prefix] == '/')
        as += prefix + 1;
    rebase->as = as ? xstrdup(as) : version_minor(rebase->version);
    if (!is_release_name(rebase->as))
        die(EXIT_INPUT, "rebase: --as %s is no name for a series; take the like of 7.0", rebase->as);
    char *target = xasprintf("%s/patches/%s/%s", rebase->repo, rebase->pin->package, rebase->as);
    if (strcmp(rebase->as, rebase->pin->series) && is_folder(target))
        die(EXIT_INPUT, "rebase: the series %s/%s is there already; rebase that one, or name another with --as", rebase->pin->package, rebase->as);
    free(target);
    rebase->named_old = old;
    rebase->old = pin_must_have("rebase", rebase->repo, rebase->pin, old);
    rebase->work = xasprintf("rebase-%s-%s", rebase->pin->package, rebase->as);
    if (is_folder(rebase->work))
        die(EXIT_INPUT, "rebase: %s is there, from a rebase that is not finished; --continue or --abort it", rebase->work);
}

static void resume(struct rebase *rebase, struct pins *pins, char *work)
{
    rebase->work = work;
    rebase->tarball = state_field(work, "tarball");
    rebase->old = state_field(work, "old");
    rebase->as = state_field(work, "as");
    rebase->version = state_field(work, "version");
    rebase->stopped = state_field(work, "stopped");
    char *series = state_field(work, "series"), *hash = state_field(work, "sha256"), *actual = sha256_file(rebase->tarball);
    if (strcmp(hash, actual))
        die(EXIT_INPUT, "rebase: %s has changed since the rebase started (SHA-256 %s, was %s); --abort and start anew", rebase->tarball, actual, hash);
    rebase->pin = pin_choose(pins, series, rebase->tarball);
    free(series);
    free(hash);
    free(actual);
}

int cmd_rebase(const char *repo, int argc, char **argv)
{
    bool go_on = false, abort = false;
    const char *as = NULL, *old = NULL, *words[2] = {NULL, NULL};
    int count = 0;
    for (int i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "--continue"))
            go_on = true;
        else if (!strcmp(argv[i], "--abort"))
            abort = true;
        else if (!strcmp(argv[i], "--as") && i + 1 < argc)
            as = argv[++i];
        else if (!strcmp(argv[i], "--old") && i + 1 < argc)
            old = argv[++i];
        else if (!strcmp(argv[i], "--old") || !strcmp(argv[i], "--as"))
            die(EXIT_INPUT, "rebase: %s needs a value; patchset rebase --help", argv[i]);
        else if (argv[i][0] == '-' || count == 2)
            die(EXIT_INPUT, "rebase: what is %s here? patchset rebase --help", argv[i]);
        else
            words[count++] = argv[i];
    }
    if ((go_on || abort) && ((go_on && abort) || as || old || count > 1))
        die(EXIT_INPUT, "rebase: --continue and --abort take the work folder alone; patchset rebase --help");
    if (!go_on && !abort && !count)
        die(EXIT_INPUT, "rebase: which tarball? patchset rebase --help");
    if (abort) {
        char *work = find_work(words[0]);
        remove_tree(work);
        printf("%s removed; nothing was changed\n", work);
        free(work);
        return EXIT_CLEAN;
    }
    if (!strcmp(repo, PKGDATADIR))
        die(EXIT_INPUT, "rebase: it writes into a checkout, and %s is the installed data; go into a checkout, or name it with -C", repo);
    struct pins pins = pins_read(repo);
    struct rebase rebase = {.repo = repo};
    struct outcomes outcomes = {0};
    if (go_on)
        resume(&rebase, &pins, find_work(words[0]));
    else
        start(&rebase, &pins, words[0], words[1], as, old);
    enum verdict verdict = decide(&rebase, &outcomes);
    if (verdict == CLEAN) {
        install_series(&rebase, &outcomes);
        if (go_on)
            remove_tree(rebase.work);
    }
    outcomes_free(&outcomes);
    free(rebase.tarball);
    free(rebase.old);
    free(rebase.version);
    free(rebase.as);
    free(rebase.work);
    free(rebase.stopped);
    pins_free(&pins);
    return verdict_exit(verdict);
}
