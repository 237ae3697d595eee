/* patchset: a maintainer's view of the series: how they stand, what becomes of
 * them on another release, and how they get into a distribution's package. */
#include "cmd.h"
#include "series.h"
#include "util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command {
    const char *name, *usage;
    int (*run)(const char *repo, int argc, char **argv);
} commands[] = {
    {"status", status_usage, cmd_status},
    {"check", check_usage, cmd_check},
    {"rebase", rebase_usage, cmd_rebase},
    {"overlay", overlay_usage, cmd_overlay},
    {"export", export_usage, cmd_export},
};
#define COMMANDS (sizeof(commands) / sizeof(*commands))

static void print_help(void)
{
    puts("usage: patchset [-C CHECKOUT] COMMAND [ARGUMENT...]\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("%s\n", commands[i].usage);
    puts("Exit codes, the worst verdict decides:\n"
         "  0   all clean\n"
         "  1   a file or program failed\n"
         "  2   bad input: usage, a tarball, patch or pin\n"
         "  10  needs refresh: an offset, or fits only with fuzz\n"
         "  11  merged: whole, partly or nearly\n"
         "  12  conflict\n"
         "  13  not applicable\n"
         "  128 and a signal's number: ended by it, nothing was changed\n\n"
         "PATCHSET_DISTDIR in the environment names a folder with the pins' tarballs, which\n"
         "is asked before dist/upstream.");
}

int main(int argc, char **argv)
{
    const char *start = NULL;
    catch_signals();
    argv++, argc--;
    if (argc && !strcmp(argv[0], "-C")) {
        if (argc == 1)
            die(EXIT_INPUT, "-C: name the checkout after it; patchset --help");
        start = argv[1];
        argv += 2, argc -= 2;
    }
    if (argc && (!strcmp(argv[0], "--help") || !strcmp(argv[0], "-h"))) {
        print_help();
        return EXIT_CLEAN;
    }
    if (argc && !strcmp(argv[0], "--version")) {
        puts("patchset (ruby-patchset) " VERSION);
        return EXIT_CLEAN;
    }
    for (size_t i = 0; argc && i < COMMANDS; i++) {
        if (strcmp(argv[0], commands[i].name))
            continue;
        if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
            fputs(commands[i].usage, stdout);
            return EXIT_CLEAN;
        }
        char *repo = repo_find(start);
        int code = commands[i].run(repo, argc - 1, argv + 1);
        free(repo);
        /* What did not get out, to a full disk say, must not look done. */
        if (fflush(stdout) || ferror(stdout))
            die(EXIT_FAILED, "cannot write to standard output (full disk?)");
        return code;
    }
    die(EXIT_INPUT, "%s%s; patchset --help lists the commands", argc ? "no such command: " : "no command", argc ? argv[0] : "");
}
