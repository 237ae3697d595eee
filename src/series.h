/* The checkout: its pins, its series, and the tarballs that the pins name. */
#ifndef PATCHSET_SERIES_H
#define PATCHSET_SERIES_H

#include "diff.h"
#include "tree.h"

struct pin {
    char *path, *package, *version, *series; /* series: NULL where the pin has none */
    char *text;
    size_t size;
};

struct series {
    char *name;   /* "puma/6.6" */
    char *folder; /* patches/puma/6.6, below the checkout */
    struct patch **patches;
    size_t count;
};

struct pins { struct pin *at; size_t count; };

/* The folder with upstream/ and patches/: `start` or one above it; where that
 * is NULL the current one, one above it, or the installed one.  Ends the
 * program where there is none. */
char *repo_find(const char *start);

/* All pins, in the order of their names.  Fields as in upstream/README.md. */
struct pins pins_read(const char *repo);
void pins_free(struct pins *pins);
/* The field's first value, or NULL; the caller frees it. */
char *pin_field(const struct pin *pin, const char *field);
struct pin *pin_of_series(const struct pins *pins, const char *series);

/* "puma/6.6" from that, from "6.6", or from "" and the tarball's name, in which
 * case it is the series of the same release, else the next older one. */
struct pin *pin_choose(const struct pins *pins, const char *series, const char *tarball);

/* Reads and checks all patches; ends the program with EXIT_INPUT on a faulty one. */
struct series *series_read(const char *repo, const struct pin *pin);
struct patch *patch_read(const char *path, const char *name);
void series_free(struct series *series);
void series_paths(const struct series *series, struct strings *paths);

/* The verified tarball of a pin, from PATCHSET_DISTDIR or dist/upstream below
 * the current folder or the checkout; NULL where none of them has it. */
char *pin_tarball(const char *repo, const struct pin *pin);
/* `named`, which --old gave, or else the above; ends the program with EXIT_INPUT
 * where there is none.  Whose verdicts decide needs it; the caller frees it. */
char *pin_must_have(const char *command, const char *repo, const struct pin *pin, const char *named);

/* Package and version in the name of a tarball, gem or folder; false where the
 * name has no version.  Either may be NULL; the caller frees them. */
bool release_of(const char *path, char **package, char **version);
/* <0, 0, >0, by the numbers between the dots. */
int version_compare(const char *a, const char *b);
/* Can it be a release, or the name of a series, in a file name and a version? */
bool is_release_name(const char *text);
/* "3.4" of "3.4.5". */
char *version_minor(const char *version);

#endif
