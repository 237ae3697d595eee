/* Fuzz target of the diff reader: any bytes give a patch or one line of an
 * error.  `make fuzz` builds it with libFuzzer; without -DLIBFUZZER it is a
 * program that reads files, to look at one finding. */
#include "../../src/diff.h"
#include "../../src/verdict.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[256] = "";
    struct patch *patch = patch_parse("fuzz", xmemdup((const char *)data, size), size, error, sizeof(error));
    if (!patch) {
        if (strncmp(error, "line ", 5) || strchr(error, '\n'))
            abort(); /* each fault is one line that says where */
        return 0;
    }
    size_t added, removed;
    patch_stat(patch, &added, &removed);
    free(patch_field(patch, "Description"));
    /* On a tree with a file of the patch's own bytes, so that some of it fits. */
    struct tree tree = {.name = "fuzz"};
    tree_put(&tree, patch->files[0].old_path, xmemdup(patch->data, patch->size), patch->size, 0644);
    struct tree *target = tree_copy(&tree);
    struct patch_result *result = judge(patch, target, &tree);
    bool all = apply(patch, result, target);
    if (all && result->verdict != CLEAN && result->verdict != OFFSET)
        abort(); /* only what is clean or moved is ever applied */
    result_free(result);
    patch_free(patch);
    tree_free(target);
    while (tree.count)
        tree_remove(&tree, tree.files[0].path);
    free(tree.files);
    return 0;
}

#ifndef LIBFUZZER
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        size_t size;
        char *data = must_read_file(argv[i], &size);
        LLVMFuzzerTestOneInput((const uint8_t *)data, size);
        free(data);
    }
    return 0;
}
#endif
