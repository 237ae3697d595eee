/* The parts of a rebase: what becomes of each patch, and how the result gets
 * into the checkout. */
#ifndef PATCHSET_REBASE_H
#define PATCHSET_REBASE_H

#include "series.h"
#include "verdict.h"

/* One rebase; also what its work folder keeps in the file `state`. */
struct rebase {
    const char *repo;
    struct pin *pin;     /* of the old series */
    char *tarball, *old; /* paths */
    bool named_old;      /* the user gave it with --old */
    char *version;       /* of the new release */
    char *as;            /* the new series, without the package */
    char *work;          /* the work folder, "rebase-PACKAGE-SERIES" */
    char *stopped;       /* the patch that the work folder waits for, or NULL */
};

/* The new series, in order. */
struct outcome { char *name, *text; size_t size; bool dropped; };
struct outcomes { struct outcome *at; size_t count; };

/* Decides patch after patch, with what the work folder has resolved.  Where
 * one needs somebody's hand, its files are laid into the work folder and the
 * verdict is given; CLEAN: all are decided.  Says what it does. */
enum verdict decide(struct rebase *rebase, struct outcomes *outcomes);

/* Writes pin and series, both or neither.  Ends the program with EXIT_MERGED
 * where no patch is left. */
void install_series(const struct rebase *rebase, const struct outcomes *outcomes);

void outcomes_free(struct outcomes *outcomes);

#endif
