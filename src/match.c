/* The matcher: exact places, GNU patch's fuzz, and blocks of code. */
#include "match.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct lines hunk_image(const struct hunk *hunk, char drop)
{
    struct lines image = {xrealloc(NULL, hunk->count, sizeof(struct span)), 0};
    for (size_t i = 0; i < hunk->count; i++)
        if (hunk->lines[i].kind != drop)
            image.at[image.count++] = hunk->lines[i].text;
    return image;
}

static size_t distance(size_t a, size_t b) { return a > b ? a - b : b - a; }

struct place match_find(const struct lines *text, struct lines image, size_t from, size_t to, size_t expected)
{
    struct place best = {0};
    if (to > text->count)
        to = text->count;
    if (!image.count) {
        best = (struct place){from >= to, from, from >= to};
        return best;
    }
    for (size_t at = from; at + image.count <= to; at++) {
        size_t i = 0;
        while (i < image.count && span_equal(text->at[at + i], image.at[i]))
            i++;
        if (i < image.count)
            continue;
        if (!best.found || distance(at, expected) < distance(best.line, expected))
            best.line = at;
        best.found = true;
        best.count++;
    }
    return best;
}

bool match_trim(const struct hunk *hunk, struct lines image, unsigned fuzz, struct lines *trimmed, size_t *skipped)
{
    size_t prefix = 0, suffix = 0;
    while (prefix < hunk->count && hunk->lines[prefix].kind == ' ')
        prefix++;
    while (suffix < hunk->count - prefix && hunk->lines[hunk->count - 1 - suffix].kind == ' ')
        suffix++;
    size_t context = prefix > suffix ? prefix : suffix;
    if (fuzz > context)
        return false;
    /* The rule of GNU patch 2.7's pch.c, stated in its manual, "Inexact". */
    size_t head = fuzz + prefix > context ? fuzz + prefix - context : 0;
    size_t tail = fuzz + suffix > context ? fuzz + suffix - context : 0;
    if (head + tail >= image.count)
        return false;
    *trimmed = (struct lines){image.at + head, image.count - head - tail};
    *skipped = head;
    return true;
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool ends_with(const char *path, const char *end)
{
    size_t a = strlen(path), b = strlen(end);
    return a >= b && !strcmp(path + a - b, end);
}

static bool is_ruby(const char *path)
{
    return ends_with(path, ".rb") || ends_with(path, ".rake") || ends_with(path, ".gemspec") ||
           ends_with(path, "Rakefile") || ends_with(path, "Gemfile");
}

/* The last word before `end`. */
static struct span word_before(struct span line, size_t end)
{
    while (end && !is_word(line.at[end - 1]))
        end--;
    size_t from = end;
    while (from && is_word(line.at[from - 1]))
        from--;
    return (struct span){line.at + from, end - from};
}

static size_t indent(struct span line)
{
    size_t n = 0;
    while (n < line.size && (line.at[n] == ' ' || line.at[n] == '\t'))
        n++;
    return n;
}

static struct span ruby_title(struct span line)
{
    static const char *const words[] = {"def ", "class ", "module "};
    struct span text = span_trim(line);
    for (size_t i = 0; i < 3; i++) {
        size_t size = strlen(words[i]);
        if (text.size <= size || memcmp(text.at, words[i], size))
            continue;
        struct span name = {text.at + size, 0};
        while (size + name.size < text.size && !strchr(" (;<", name.at[name.size]))
            name.size++;
        return name;
    }
    return (struct span){0};
}

/* As git's default for C: a line that starts in the first column. */
static struct span c_title(struct span line)
{
    struct span none = {0}, text = span_trim(line);
    if (!line.size || !(isalpha((unsigned char)line.at[0]) || line.at[0] == '_'))
        return none;
    char last = text.at[text.size - 1];
    const char *open = memchr(text.at, '(', text.size);
    if (last == ';' || last == ':' || (!open && last != '{'))
        return none;
    if (open)
        return word_before(text, (size_t)(open - text.at));
    size_t end = 0;
    while (end < text.size && !strchr("[={", text.at[end]))
        end++;
    return word_before(text, end);
}

struct span block_title(struct span line, const char *path)
{
    return is_ruby(path) ? ruby_title(line) : c_title(line);
}

/* The end of the block that opens at `from`, or from where none opens there. */
static size_t block_end(const struct lines *text, size_t from, const char *path)
{
    if (is_ruby(path)) {
        for (size_t i = from + 1; i < text->count; i++) {
            struct span line = span_trim(text->at[i]);
            if (line.size >= 3 && !memcmp(line.at, "end", 3) && indent(text->at[i]) == indent(text->at[from]))
                return i + 1;
        }
        return from;
    }
    struct span title = span_trim(text->at[from]);
    bool open = title.at[title.size - 1] == '{';
    for (size_t i = from + 1; i < text->count; i++) {
        char first = text->at[i].at[0];
        /* Parameters may take some lines; more is something else. */
        if (!open && (i > from + 12 || first == '}' || first == '#'))
            return from;
        open |= first == '{';
        if (open && first == '}')
            return i + 1;
    }
    return from;
}

struct block block_around(const struct lines *text, size_t line, const char *path)
{
    for (size_t i = line > text->count ? text->count : line; i-- > 0;) {
        if (!is_ruby(path) && text->at[i].at[0] == '}')
            break;
        struct span name = block_title(text->at[i], path);
        if (!name.size)
            continue;
        size_t end = block_end(text, i, path);
        if (end > line)
            return (struct block){i, end, name};
    }
    return (struct block){0};
}

struct block block_named(const struct lines *text, struct span name, const char *path)
{
    for (size_t i = 0; name.size && i < text->count; i++) {
        if (!span_equal(block_title(text->at[i], path), name))
            continue;
        size_t end = block_end(text, i, path);
        if (end > i)
            return (struct block){i, end, block_title(text->at[i], path)};
    }
    return (struct block){0};
}

bool has_word(const struct lines *text, struct span word)
{
    for (size_t i = 0; i < text->count; i++) {
        struct span line = text->at[i];
        for (size_t p = 0; p + word.size <= line.size; p++)
            if (!memcmp(line.at + p, word.at, word.size) && (!p || !is_word(line.at[p - 1])) &&
                (p + word.size == line.size || !is_word(line.at[p + word.size])))
                return true;
    }
    return false;
}

size_t count_line(const struct lines *text, struct span line, size_t from, size_t to)
{
    size_t count = 0;
    line = span_trim(line);
    for (size_t i = from; i < to && i < text->count; i++)
        count += span_equal(span_trim(text->at[i]), line);
    return count;
}

bool is_telling(struct span line)
{
    static const char *const common[] = {"end", "else", "break;", "return;", "begin", "#endif", "#else", "endif", "do {"};
    struct span text = span_trim(line);
    size_t letters = 0;
    for (size_t i = 0; i < text.size; i++)
        letters += isalnum((unsigned char)text.at[i]) || (text.at[i] & 0x80);
    for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++)
        if (text.size == strlen(common[i]) && !memcmp(text.at, common[i], text.size))
            return false;
    if (letters >= 4 && text.size >= 6 && !memcmp(text.at, "} else", 6) && letters == 4)
        return false;
    return letters > 0;
}

bool is_comment(struct span line, const char *path)
{
    struct span text = span_trim(line);
    if (!text.size)
        return true;
    if (is_ruby(path))
        return text.at[0] == '#';
    return text.at[0] == '*' || (text.size > 1 && text.at[0] == '/' && (text.at[1] == '*' || text.at[1] == '/'));
}

size_t match_window(const struct lines *text, struct lines image, size_t length, size_t expected, size_t *hits)
{
    /* Which line of the image each line of the text is; none: image.count. */
    size_t *which = xrealloc(NULL, text->count, sizeof(*which));
    size_t *seen = xcalloc(image.count + 1, sizeof(*seen));
    for (size_t i = 0; i < text->count; i++) {
        which[i] = image.count;
        struct span line = span_trim(text->at[i]);
        for (size_t k = 0; k < image.count && which[i] == image.count; k++)
            if (is_telling(image.at[k]) && span_equal(span_trim(image.at[k]), line))
                which[i] = k;
    }
    size_t best = 0, now = 0;
    *hits = 0;
    for (size_t i = 0; i < text->count; i++) {
        if (which[i] < image.count && !seen[which[i]]++)
            now++;
        if (i >= length && which[i - length] < image.count && !--seen[which[i - length]])
            now--;
        size_t from = i + 1 > length ? i + 1 - length : 0;
        if (now > *hits || (now == *hits && now && distance(from + length / 2, expected) < distance(best + length / 2, expected))) {
            *hits = now;
            best = from;
        }
    }
    free(which);
    free(seen);
    return best;
}
