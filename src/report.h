/* Verdicts as a table or as JSON. */
#ifndef PATCHSET_REPORT_H
#define PATCHSET_REPORT_H

#include "verdict.h"

#include <jansson.h>

/* A table on stdout: a line for each patch, with its hunks below it; near
 * merges with both texts side by side. */
void report_table(const struct series *series, struct patch_result *const *results, const char *target);
/* The same for programs; the caller owns the object.  Fields: patchset.1. */
json_t *report_json(const struct series *series, struct patch_result *const *results, const char *target);
/* "offset 12", "fuzz 1" or the verdict's name; the caller frees it. */
char *verdict_text(enum verdict verdict, long offset, unsigned fuzz);
/* Bytes that are no UTF-8 become '?'. */
json_t *json_text(const char *text, size_t size);
/* What jansson made, or the end of the program where it had no memory. */
json_t *json_must(json_t *value);
void json_add(json_t *array, json_t *value); /* takes the value over */
void json_print(json_t *object); /* to stdout; takes it over */

#endif
