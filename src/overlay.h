/* Puts a series into somebody else's source package. */
#ifndef PATCHSET_OVERLAY_H
#define PATCHSET_OVERLAY_H

#include "series.h"
#include "util.h"

/* What is put in, and whose entry the changelog gets. */
struct overlay {
    const char *repo, *name; /* name: what the user called the package */
    struct pins *pins;
    const char *wanted;    /* SERIES of the command line, or NULL */
    const char *old;       /* --old: the tarball that the series was made for, or NULL */
    struct pin *pin;
    struct series *series;
    char *number;          /* N of patchset<N> */
    char *author, *date;   /* of the changelog's entry; the date is the pin's */
};

/* Chooses the series for a package and its upstream version. */
void overlay_choose(struct overlay *overlay, const char *package, const char *version);

/* Writes the patches, with the line numbers of the tree, into a folder.  Ends
 * the program where the tree has the change already, or refuses it. */
void overlay_write_patches(const struct overlay *overlay, const char *tree, const char *folder);

/* Work on an unpacked package in place: the caller has a copy.  False: the
 * series is in it already, and nothing was done. */
bool overlay_debian(struct overlay *overlay, const char *folder, char **version);
bool overlay_spec(struct overlay *overlay, const char *folder, const char *work, char **spec);

/* The only spec in a folder; the caller frees it.  Ends the program where there
 * is none or more than one. */
char *spec_find(const char *folder, const char *name);

/* Ends the program with an exit code and the last line of a program's output. */
_Noreturn void program_failed(int code, const char *program, const char *output);

#endif
