/* patchset export: a series as mails. */
#include "cmd.h"
#include "series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char export_usage[] =
    "patchset export SERIES\n"
    "  The series as a mail box on stdout, which `git am` takes (with CRLF sources:\n"
    "  `git am --keep-cr`).  The DEP-3 fields stand at the end of each message.\n";

/* The date of Last-Update at noon, or the current one, as in a mail. */
static void print_date(const char *date)
{
    struct tm tm = {.tm_hour = 12};
    char text[64];
    time_t when = time(NULL);
    int year, month, day;
    if (date && sscanf(date, "%d-%d-%d", &year, &month, &day) == 3) {
        tm.tm_year = year - 1900, tm.tm_mon = month - 1, tm.tm_mday = day;
        when = timegm(&tm);
    }
    gmtime_r(&when, &tm);
    strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S +0000", &tm);
    printf("Date: %s\n", text);
}

/* A line of a message: git am takes one like these for the begin of a diff, or
 * the last for that of another mail, when it has a time in it. */
static void print_line(const char *line, size_t size)
{
    static const char *const special[] = {"---", "diff -", "Index: ", "From "};
    for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
        if (size >= strlen(special[i]) && !memcmp(line, special[i], strlen(special[i])) && (i < 3 || memchr(line, ':', size)))
            putchar(' ');
    printf("%.*s\n", (int)size, line);
}

static void print_mail(const struct patch *patch, size_t number, size_t count)
{
    char *text = patch_field(patch, "Description"), *author = patch_field(patch, "Author"), *date = patch_field(patch, "Last-Update");
    if (!text)
        text = patch_field(patch, "Subject");
    if (!author)
        author = patch_field(patch, "From");
    if (!text || !author)
        die(EXIT_INPUT, "%s has no %s, which a mail needs; add the DEP-3 field", patch->name, text ? "Author" : "Description");
    char *rest = strchr(text, '\n');
    /* The date is the one that git format-patch writes in each mail box. */
    puts("From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001");
    printf("From: %.*s\n", (int)strcspn(author, "\n"), author);
    print_date(date);
    printf("Subject: [PATCH %zu/%zu] %.*s\n", number, count, (int)strcspn(text, "\n"), text);
    puts("MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n");
    while (rest) {
        size_t size = strcspn(++rest, "\n");
        if (size == 1 && *rest == '.')
            putchar('\n');
        else
            print_line(rest, size);
        rest = strchr(rest, '\n');
    }
    putchar('\n');
    struct lines lines = lines_split(patch->data, patch->header);
    bool skip = false;
    for (size_t i = 0; i < lines.count; i++) {
        struct span line = span_trim(lines.at[i]);
        bool continues = lines.at[i].at[0] == ' ' || lines.at[i].at[0] == '\t';
        skip = (skip && continues) || (line.size > 12 && !strncmp(line.at, "Description:", 12)) || !strncmp(line.at, "Subject:", 8);
        if (!skip && line.size)
            print_line(lines.at[i].at, (size_t)(line.at + line.size - lines.at[i].at));
    }
    free(lines.at);
    puts("---");
    fwrite(patch->data + patch->header, 1, patch->size - patch->header, stdout);
    puts("-- \nruby-patchset\n");
    free(text);
    free(author);
    free(date);
}

int cmd_export(const char *repo, int argc, char **argv)
{
    if (argc != 1 || argv[0][0] == '-')
        die(EXIT_INPUT, "export: one SERIES is wanted; patchset export --help");
    struct pins pins = pins_read(repo);
    struct series *series = series_read(repo, pin_choose(&pins, argv[0], NULL));
    for (size_t i = 0; i < series->count; i++)
        print_mail(series->patches[i], i + 1, series->count);
    series_free(series);
    pins_free(&pins);
    return EXIT_CLEAN;
}
