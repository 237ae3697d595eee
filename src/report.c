/* The output of verdicts: a table for people, JSON for programs. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of a side-by-side text; two of them fit 132 columns. */
#define COLUMN 60

char *verdict_text(enum verdict verdict, long offset, unsigned fuzz)
{
    if (verdict == OFFSET)
        return xasprintf("offset %ld", offset);
    if (verdict == FUZZ)
        return xasprintf("fuzz %u", fuzz);
    return xstrdup(verdict_name(verdict));
}

json_t *json_must(json_t *value)
{
    if (!value)
        die(EXIT_FAILED, "no memory for the report");
    return value;
}

void json_add(json_t *array, json_t *value)
{
    if (json_array_append_new(array, json_must(value)))
        die(EXIT_FAILED, "no memory for the report");
}

json_t *json_text(const char *text, size_t size)
{
    json_t *string = json_stringn(text, size);
    if (string)
        return string;
    char *copy = xmemdup(text, size);
    for (size_t i = 0; i < size; i++)
        if (copy[i] & 0x80)
            copy[i] = '?';
    string = json_must(json_stringn(copy, size));
    free(copy);
    return string;
}

void json_print(json_t *object)
{
    if (json_dumpf(json_must(object), stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER) || putchar('\n') == EOF || fflush(stdout))
        die(EXIT_FAILED, "cannot write the report (full disk?)");
    json_decref(object);
}

/* The lines of a group that a kind picks. */
static char *group_text(const struct hunk *hunk, const struct group *g, char kind)
{
    struct buf text = {0};
    for (size_t i = g->from; i < g->to; i++)
        if (hunk->lines[i].kind == kind)
            buf_add(&text, hunk->lines[i].text.at, hunk->lines[i].text.size);
    buf_add(&text, "", 0);
    return text.data;
}

/* A line as it stands on a terminal: tabs as blanks, no control characters. */
static struct buf visible(const struct lines *lines, size_t i)
{
    struct buf text = {0};
    for (size_t k = 0; i < lines->count && k < lines->at[i].size; k++) {
        const char *c = lines->at[i].at + k;
        if (*c == '\t')
            buf_puts(&text, "    ");
        else if ((unsigned char)*c >= ' ' && *c != 127)
            buf_add(&text, c, 1);
    }
    buf_add(&text, "", 0);
    return text;
}

/* How much of the text from `at` fills a column: whole UTF-8 characters. */
static int column_bytes(const struct buf *text, size_t at, int *blanks)
{
    int bytes = 0;
    *blanks = COLUMN;
    while (at + (size_t)bytes < text->size && *blanks) {
        do
            bytes++;
        while ((text->data[at + (size_t)bytes] & 0xc0) == 0x80);
        --*blanks;
    }
    return bytes;
}

/* Two texts line by line; what a column cannot hold goes on below. */
static void side_by_side(const char *ours, const char *upstream)
{
    struct lines left = lines_split(ours, strlen(ours)), right = lines_split(upstream, strlen(upstream));
    printf("      %-*s | %s\n", COLUMN, "ours", "upstream");
    for (size_t i = 0; i < left.count || i < right.count; i++) {
        struct buf a = visible(&left, i), b = visible(&right, i);
        size_t in_a = 0, in_b = 0;
        do {
            int blanks, rest, bytes = column_bytes(&a, in_a, &blanks), other = column_bytes(&b, in_b, &rest);
            printf("      %.*s%*s | %.*s\n", bytes, a.data + in_a, blanks, "", other, b.data + in_b);
            in_a += (size_t)bytes;
            in_b += (size_t)other;
        } while (in_a < a.size || in_b < b.size);
        buf_free(&a);
        buf_free(&b);
    }
    free(left.at);
    free(right.at);
}

static void print_hunk(const struct hunk *hunk, const struct hunk_result *r, const char *path, size_t number)
{
    char *text = verdict_text(r->verdict, r->offset, r->fuzz), *place = xasprintf("%s#%zu", path, number);
    printf("    %-44s %-15s", place, text);
    const char *between = " ";
    if (r->line)
        printf("%sline %zu", between, r->line), between = ", ";
    if (r->verdict == FUZZ)
        printf("%snever applied by itself", between), between = ", ";
    if (r->verdict == MERGED || r->verdict == NEAR_MERGE || r->verdict == PARTLY_MERGED)
        printf("%s%zu of %zu added lines there, %zu of %zu removed lines gone", between, r->added_there, r->added,
               r->removed_gone, r->removed), between = ", ";
    if (r->note)
        printf("%s%s", between, r->note);
    putchar('\n');
    for (size_t i = 0; i < r->count; i++) {
        if (r->groups[i].state != NEAR)
            continue;
        char *ours = group_text(hunk, &r->groups[i], '+');
        side_by_side(ours, r->groups[i].upstream);
        free(ours);
    }
    free(text);
    free(place);
}

void report_table(const struct series *series, struct patch_result *const *results, const char *target)
{
    printf("%s on %s: %s\n", series->name, target, verdict_name(worst_verdict(results, series->count)));
    for (size_t i = 0; i < series->count; i++) {
        const struct patch *patch = series->patches[i];
        char *text = verdict_text(results[i]->verdict, results[i]->offset, results[i]->fuzz);
        printf("  %-46s %s\n", patch->name, text);
        free(text);
        for (size_t f = 0; f < patch->count; f++) {
            const struct file_result *file = &results[i]->files[f];
            if (file->note || !file->count)
                printf("    %-44s %-15s %s\n", patch->files[f].new_path, verdict_name(file->verdict), file->note ? file->note : "");
            for (size_t h = 0; h < file->count && !file->note; h++)
                print_hunk(&patch->files[f].hunks[h], &file->hunks[h], patch->files[f].new_path, h + 1);
        }
    }
    if (fflush(stdout))
        die(EXIT_FAILED, "cannot write the report (full disk?)");
}

static json_t *hunk_json(const struct hunk *hunk, const struct hunk_result *r, size_t number)
{
    json_t *near = json_must(json_array());
    for (size_t i = 0; i < r->count; i++) {
        if (r->groups[i].state != NEAR)
            continue;
        char *ours = group_text(hunk, &r->groups[i], '+');
        json_add(near, json_pack("{s:o, s:o}", "ours", json_text(ours, strlen(ours)), "upstream",
                                 json_text(r->groups[i].upstream, strlen(r->groups[i].upstream))));
        free(ours);
    }
    return json_pack("{s:I, s:s, s:I, s:i, s:I, s:o?, s:I, s:I, s:I, s:I, s:o}", "hunk", (json_int_t)number, "verdict",
                     verdict_name(r->verdict), "offset", (json_int_t)r->offset, "fuzz", (int)r->fuzz, "line",
                     (json_int_t)r->line, "note", r->note ? json_text(r->note, strlen(r->note)) : NULL, "added",
                     (json_int_t)r->added, "added_there", (json_int_t)r->added_there, "removed", (json_int_t)r->removed,
                     "removed_gone", (json_int_t)r->removed_gone, "near", near);
}

json_t *report_json(const struct series *series, struct patch_result *const *results, const char *target)
{
    json_t *patches = json_must(json_array());
    for (size_t i = 0; i < series->count; i++) {
        const struct patch *patch = series->patches[i];
        json_t *files = json_must(json_array());
        for (size_t f = 0; f < patch->count; f++) {
            const struct file_result *file = &results[i]->files[f];
            json_t *hunks = json_must(json_array());
            for (size_t h = 0; h < file->count; h++)
                json_add(hunks, hunk_json(&patch->files[f].hunks[h], &file->hunks[h], h + 1));
            json_add(files, json_pack("{s:o, s:s, s:o?, s:o}", "path",
                                      json_text(patch->files[f].new_path, strlen(patch->files[f].new_path)),
                                      "verdict", verdict_name(file->verdict), "note",
                                      file->note ? json_text(file->note, strlen(file->note)) : NULL, "hunks", hunks));
        }
        json_add(patches, json_pack("{s:o, s:s, s:I, s:i, s:o}", "patch", json_text(patch->name, strlen(patch->name)),
                                    "verdict", verdict_name(results[i]->verdict), "offset",
                                    (json_int_t)results[i]->offset, "fuzz", (int)results[i]->fuzz, "files", files));
    }
    return json_pack("{s:s, s:o, s:s, s:o}", "series", series->name, "target", json_text(target, strlen(target)), "verdict",
                     verdict_name(worst_verdict(results, series->count)), "patches", patches);
}
