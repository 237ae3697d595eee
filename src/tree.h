/* A source tree, of which only the files that patches touch are kept. */
#ifndef PATCHSET_TREE_H
#define PATCHSET_TREE_H

#include "util.h"

struct tree_file { char *path, *data; size_t size; mode_t mode; };

struct tree {
    char *name;              /* the tarball or folder, for messages */
    struct tree_file *files; /* only those that are there */
    size_t count;
    struct strings elsewhere; /* paths with the base name of a wanted file */
};

/* Reads the files `wanted` (paths below the tree's top folder) of a tarball
 * (gz, xz, bz2, zst), gem or folder.  Ends the program with EXIT_INPUT where
 * it cannot be read, or holds a path that leaves its root.  A tarball is read
 * once, as a stream; memory is that of the wanted files. */
struct tree *tree_read(const char *path, const struct strings *wanted);
struct tree *tree_copy(const struct tree *tree);
void tree_free(struct tree *tree);

/* NULL: it is not there. */
struct tree_file *tree_find(const struct tree *tree, const char *path);
/* Takes over data (from malloc). */
void tree_put(struct tree *tree, const char *path, char *data, size_t size, mode_t mode);
void tree_remove(struct tree *tree, const char *path);
/* Another place with the same base name, or NULL. */
const char *tree_elsewhere(const struct tree *tree, const char *path);

/* Unpacks a source rpm, which holds its files without folders. */
void tree_unpack(const char *archive, const char *folder);

#endif
