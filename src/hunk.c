/* The verdict on a hunk.
 *
 * A hunk that applies may still be merged (upstream has the line elsewhere in
 * the same table), and one that does not apply may be merged too (upstream
 * changed the context as well).  So each group of changed lines is looked up
 * in the block of code that it belongs to, as it was before and after, and
 * each line is counted there: it must not be added a second time. */
#include "hunk.h"
#include "match.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Code outside of any block belongs to what is this near, in lines. */
#define NEIGHBOURHOOD 25
/* GNU patch never tries more by default, patch(1) -F. */
#define MAX_FUZZ 2

struct scene {
    const struct patch *patch;
    const struct hunk *hunk;
    const struct file_diff *diff;
    const char *path;
    const struct lines *text; /* of the target */
    const struct lines *old;  /* of the tree the patch was made for; may be NULL */
    struct block old_block;   /* around the hunk there; without the old tree only .name */
    size_t old_line;          /* the hunk's first line there */
    bool old_fits;
    size_t from, to;          /* the region of the target that is looked at */
    size_t old_from, old_to;  /* the same region of the old tree */
};

/* The place in the image of the first changed line. */
static size_t lead(const struct hunk *hunk)
{
    size_t n = 0;
    while (n < hunk->count && hunk->lines[n].kind == ' ')
        n++;
    return n;
}

/* How often the line is in the hunk with that kind. */
static size_t in_hunk(const struct hunk *hunk, struct span line, char kind)
{
    size_t n = 0;
    line = span_trim(line);
    for (size_t i = 0; i < hunk->count; i++)
        n += hunk->lines[i].kind == kind && span_equal(span_trim(hunk->lines[i].text), line);
    return n;
}

/* How often the line stands in the region, and should after our change. */
static void counts(const struct scene *s, struct span line, size_t *now, size_t *before, size_t *after)
{
    size_t kept = in_hunk(s->hunk, line, ' '), gone = in_hunk(s->hunk, line, '-'), new = in_hunk(s->hunk, line, '+');
    *now = count_line(s->text, line, s->from, s->to);
    *before = 0;
    if (s->old_fits)
        *before = count_line(s->old, line, s->old_from, s->old_to);
    else /* a line that another hunk takes away, perhaps in the same block, was there too */
        for (size_t h = 0; h < s->diff->count; h++)
            *before += in_hunk(&s->diff->hunks[h], line, ' ') + in_hunk(&s->diff->hunks[h], line, '-');
    if (*before < kept + gone)
        *before = kept + gone;
    *after = *before - gone + new;
}

/* Of the lines that the group adds on balance: all there, by their counts?
 * A moved line is added and removed, which no count tells. */
static void added_there(const struct scene *s, const struct group *g, size_t *wanted, size_t *there)
{
    *wanted = *there = 0;
    for (size_t i = g->from; i < g->to; i++) {
        const struct hunk_line *line = &s->hunk->lines[i];
        size_t now, before, after;
        if (line->kind != '+' || !is_telling(line->text))
            continue;
        counts(s, line->text, &now, &before, &after);
        if (after <= before)
            continue;
        ++*wanted;
        *there += now >= after;
    }
}

/* Does any line of the group stand more often than it would after our change? */
static bool too_many(const struct scene *s, const struct group *g)
{
    for (size_t i = g->from; i < g->to; i++) {
        const struct hunk_line *line = &s->hunk->lines[i];
        size_t now, before, after;
        if (line->kind != '-' || !is_telling(line->text))
            continue;
        counts(s, line->text, &now, &before, &after);
        if (now > after)
            return true;
    }
    return false;
}

/* The group's lines of a kind, between the unchanged lines next to them. */
static struct lines group_image(const struct hunk *hunk, const struct group *g, char kind, bool around)
{
    struct lines image = {xrealloc(NULL, g->to - g->from + 2, sizeof(struct span)), 0};
    if (around && g->from)
        image.at[image.count++] = hunk->lines[g->from - 1].text;
    for (size_t i = g->from; i < g->to; i++)
        if (hunk->lines[i].kind == kind)
            image.at[image.count++] = hunk->lines[i].text;
    if (around && g->to < hunk->count)
        image.at[image.count++] = hunk->lines[g->to].text;
    return image;
}

static bool stands(const struct scene *s, const struct group *g, char kind, bool around)
{
    struct lines image = group_image(s->hunk, g, kind, around);
    bool found = image.count && match_find(s->text, image, s->from, s->to, s->from).found;
    free(image.at);
    return found;
}

/* Words of a line, as a list of spans. */
static size_t words(struct span line, struct span *list, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < line.size && count < room;) {
        size_t from = i;
        while (i < line.size && (isalnum((unsigned char)line.at[i]) || line.at[i] == '_'))
            i++;
        if (i > from)
            list[count++] = (struct span){line.at + from, i - from};
        else
            i++;
    }
    return count;
}

/* Dice's coefficient of the words of two lines, in percent. */
static unsigned likeness(struct span a, struct span b)
{
    struct span in_a[64], in_b[64];
    size_t na = words(a, in_a, 64), nb = words(b, in_b, 64), same = 0, left = nb;
    for (size_t i = 0; i < na; i++)
        for (size_t k = 0; k < left; k++)
            if (span_equal(in_a[i], in_b[k])) {
                in_b[k] = in_b[--left];
                same++;
                break;
            }
    return na + nb ? (unsigned)(200 * same / (na + nb)) : 0;
}

/* A name that our patch brings in: in its added lines, in no other line of it,
 * and not in the file before.  Upstream's use of it tells the same intent. */
static bool brings_in(const struct scene *s, struct span word)
{
    if (word.size < 6 || !memchr(word.at, '_', word.size))
        return false;
    bool added = false;
    for (size_t f = 0; f < s->patch->count; f++)
        for (size_t h = 0; h < s->patch->files[f].count; h++) {
            const struct hunk *hunk = &s->patch->files[f].hunks[h];
            for (size_t i = 0; i < hunk->count; i++) {
                struct lines one = {&hunk->lines[i].text, 1};
                if (!has_word(&one, word))
                    continue;
                if (hunk->lines[i].kind != '+')
                    return false;
                added = true;
            }
        }
    return added && !(s->old && has_word(s->old, word));
}

static bool shares_new_name(const struct scene *s, struct span line)
{
    struct span list[64];
    size_t count = words(line, list, 64);
    for (size_t i = 0; i < count; i++)
        if (brings_in(s, list[i]))
            return true;
    return false;
}

/* What upstream put in the place of the lines that the group removes: between
 * the unchanged lines around it, or the line most like ours. */
static bool find_near(const struct scene *s, const struct group *g, struct span *found)
{
    const struct hunk *hunk = s->hunk;
    if (g->from && is_telling(hunk->lines[g->from - 1].text)) {
        struct span above = hunk->lines[g->from - 1].text;
        struct place place = match_find(s->text, (struct lines){&above, 1}, s->from, s->to, s->from);
        if (place.found && place.count == 1) {
            bool shared = false;
            size_t i = place.line + 1;
            struct span slot = {i < s->to ? s->text->at[i].at : NULL, 0};
            for (; i < s->to && i < place.line + 1 + NEIGHBOURHOOD; i++) {
                if (g->to < hunk->count && span_equal(s->text->at[i], hunk->lines[g->to].text))
                    break;
                shared |= shares_new_name(s, s->text->at[i]);
                slot.size += s->text->at[i].size;
            }
            if (shared) {
                *found = slot;
                return true;
            }
        }
    }
    unsigned best = 0;
    for (size_t k = g->from; k < g->to; k++) {
        if (hunk->lines[k].kind != '+' || !is_telling(hunk->lines[k].text))
            continue;
        for (size_t i = s->from; i < s->to; i++) {
            struct span line = s->text->at[i];
            unsigned like = likeness(line, hunk->lines[k].text), unlike = 0;
            if (like < 60 || like <= best || in_hunk(hunk, line, ' ') || in_hunk(hunk, line, '-'))
                continue;
            for (size_t r = g->from; r < g->to; r++)
                if (hunk->lines[r].kind == '-' && likeness(line, hunk->lines[r].text) > unlike)
                    unlike = likeness(line, hunk->lines[r].text);
            if (like <= unlike && !shares_new_name(s, line))
                continue;
            best = like;
            *found = line;
        }
    }
    return best > 0;
}

static enum state group_state(const struct scene *s, struct group *g)
{
    size_t wanted, there, removed = 0;
    for (size_t i = g->from; i < g->to; i++)
        removed += s->hunk->lines[i].kind == '-';
    added_there(s, g, &wanted, &there);
    bool all_there = wanted && there == wanted;
    enum state open = there ? PART : OPEN;
    if (stands(s, g, '-', true))
        return !removed && all_there ? DONE : open;
    if (stands(s, g, '+', true) && there == wanted && !too_many(s, g))
        return DONE;
    if (removed && stands(s, g, '-', false))
        return open;
    if (all_there && !too_many(s, g))
        return DONE;
    if (!removed) {
        bool above = g->from && is_telling(s->hunk->lines[g->from - 1].text) && count_line(s->text, s->hunk->lines[g->from - 1].text, s->from, s->to);
        bool below = g->to < s->hunk->count && is_telling(s->hunk->lines[g->to].text) && count_line(s->text, s->hunk->lines[g->to].text, s->from, s->to);
        return above || below ? open : UNKNOWN;
    }
    struct span upstream;
    if (!find_near(s, g, &upstream))
        return UNKNOWN;
    g->upstream = xmemdup(upstream.at, upstream.size);
    return NEAR;
}

static void judge_groups(const struct scene *s, struct hunk_result *r)
{
    for (size_t i = 0; i < s->hunk->count;) {
        if (s->hunk->lines[i].kind == ' ') {
            i++;
            continue;
        }
        r->groups = xrealloc(r->groups, r->count + 1, sizeof(*r->groups));
        struct group *g = &r->groups[r->count++];
        *g = (struct group){.from = i};
        for (; i < s->hunk->count && s->hunk->lines[i].kind != ' '; i++)
            g->replaces |= s->hunk->lines[i].kind == '-' && !is_comment(s->hunk->lines[i].text, s->path);
        g->to = i;
        g->state = group_state(s, g);
    }
    for (size_t i = 0; i < s->hunk->count; i++) {
        const struct hunk_line *line = &s->hunk->lines[i];
        size_t now, before, after;
        counts(s, line->text, &now, &before, &after);
        r->added += line->kind == '+';
        r->removed += line->kind == '-';
        r->added_there += line->kind == '+' && after > before && now >= after;
        r->removed_gone += line->kind == '-' && after < before && now <= after;
    }
}

/* The region of the target that belongs to the hunk: the block of the same
 * name, else what is around `line`. */
static void set_region(struct scene *s, struct block block, size_t line, size_t size)
{
    if (block.name.size) {
        s->from = block.from;
        s->to = block.to;
    } else {
        s->from = line > NEIGHBOURHOOD ? line - NEIGHBOURHOOD : 0;
        s->to = line + size + NEIGHBOURHOOD;
    }
    if (s->to > s->text->count)
        s->to = s->text->count;
    if (!s->old_fits)
        return;
    bool whole = block.name.size && s->old_block.to;
    s->old_from = whole ? s->old_block.from : s->old_line > NEIGHBOURHOOD ? s->old_line - NEIGHBOURHOOD : 0;
    s->old_to = whole ? s->old_block.to : s->old_line + s->hunk->old_count + NEIGHBOURHOOD;
}

/* The block that the hunk changes, from the old tree, its own lines or the
 * section in its header. */
static void find_old_block(struct scene *s, struct lines image)
{
    size_t head = lead(s->hunk), line = s->hunk->old_start ? s->hunk->old_start - 1 : 0;
    if (s->old) {
        struct place place = match_find(s->old, image, 0, s->old->count, line);
        s->old_fits = place.found;
        s->old_line = place.line;
        if (place.found) {
            s->old_block = block_around(s->old, place.line + head, s->path);
            return;
        }
    }
    for (size_t i = head; i-- > 0 && image.at[i].at[0] != '}';) {
        s->old_block.name = block_title(image.at[i], s->path);
        if (s->old_block.name.size)
            return;
    }
    s->old_block.name = block_title(s->hunk->section, s->path);
}

/* Does a place in the target belong to the block that the hunk was made for?
 * A block that upstream renamed is gone from the file. */
static bool right_block(const struct scene *s, size_t line)
{
    struct span old = s->old_block.name;
    struct block here = block_around(s->text, line, s->path);
    if (!old.size || span_equal(here.name, old))
        return true;
    if (s->old_fits && here.name.size && block_named(s->old, here.name, s->path).name.size)
        return false; /* it was another block before, too */
    return !block_named(s->text, old, s->path).name.size;
}

/* The place for an image: the expected one, the only one, or the only one in
 * the right block.  *note says why there is none though it fits. */
static bool choose(const struct scene *s, struct lines image, size_t head, size_t expected, size_t *line, char **note)
{
    struct place place = match_find(s->text, image, 0, s->text->count, expected);
    if (!place.found)
        return false;
    if (place.line == expected && right_block(s, place.line + head)) {
        *line = place.line;
        return true;
    }
    size_t good = 0, first = 0, other = place.line;
    for (size_t from = 0;;) {
        struct place next = match_find(s->text, image, from, s->text->count, from);
        if (!next.found)
            break;
        if (right_block(s, next.line + head)) {
            if (!good++)
                first = next.line;
            else
                other = next.line;
        }
        from = next.line + 1;
    }
    if (good == 1) {
        *line = first;
        return true;
    }
    free(*note);
    if (good)
        *note = xasprintf("fits at lines %zu and %zu alike", first + 1, other + 1);
    else
        *note = xasprintf("fits only at line %zu, outside of %.*s, which it was made for", place.line + 1,
                          (int)s->old_block.name.size, s->old_block.name.at);
    return false;
}

/* Whether the image would fit if a difference that is not in the words were
 * left aside. */
static bool fits_trimmed(const struct lines *text, struct lines image, bool only_end)
{
    for (size_t at = 0; at + image.count <= text->count; at++) {
        size_t i = 0;
        for (; i < image.count; i++) {
            struct span a = text->at[at + i], b = image.at[i];
            if (!only_end) {
                a = span_trim(a), b = span_trim(b);
            } else {
                while (a.size && strchr("\r\n", a.at[a.size - 1]))
                    a.size--;
                while (b.size && strchr("\r\n", b.at[b.size - 1]))
                    b.size--;
            }
            if (!span_equal(a, b))
                break;
        }
        if (i == image.count)
            return true;
    }
    return false;
}

static void set_note(char **note, char *text)
{
    free(*note);
    *note = text;
}

/* Neither the code before nor after our change is there: why? */
static void judge_rest(struct scene *s, struct hunk_result *r, struct lines pre, size_t expected, bool region_known)
{
    struct span name = s->old_block.name;
    size_t size = pre.count, trimmed_head, hits, telling = 0, head = lead(s->hunk);
    for (unsigned fuzz = 1; fuzz <= MAX_FUZZ; fuzz++) {
        struct lines trimmed;
        size_t line, want;
        if (!match_trim(s->hunk, pre, fuzz, &trimmed, &trimmed_head))
            break;
        want = expected + trimmed_head;
        bool changes_text = false;
        for (size_t i = 0; i < trimmed.count; i++)
            changes_text |= is_telling(trimmed.at[i]);
        if (!changes_text || !choose(s, trimmed, head - trimmed_head, want, &line, &r->note))
            continue;
        r->fuzz = fuzz;
        r->line = line - (line < trimmed_head ? line : trimmed_head) + 1;
        r->offset = (long)r->line - (long)s->hunk->old_start;
        if (!region_known)
            set_region(s, block_around(s->text, line + head - trimmed_head, s->path), line, size);
        region_known = true;
        break;
    }
    size_t window = match_window(s->text, pre, size * 2 + 10, expected, &hits);
    if (!region_known)
        set_region(s, (struct block){0}, window, size * 2 + 10);
    for (size_t i = 0; i < pre.count; i++)
        telling += is_telling(pre.at[i]);
    judge_groups(s, r);
    size_t done = 0, near = 0, part = 0, open = 0;
    for (size_t i = 0; i < r->count; i++) {
        done += r->groups[i].state == DONE;
        near += r->groups[i].state == NEAR;
        part += r->groups[i].state == PART;
        open += r->groups[i].state == OPEN;
    }
    r->verdict = CONFLICT;
    if (done == r->count)
        r->verdict = MERGED;
    else if (done + near == r->count)
        r->verdict = NEAR_MERGE;
    else if (done + near + part)
        r->verdict = r->fuzz || done + near + part + open == r->count ? PARTLY_MERGED : CONFLICT;
    else if (r->fuzz)
        r->verdict = FUZZ;
    if (r->verdict != CONFLICT) {
        if (r->verdict == FUZZ || r->note)
            set_note(&r->note, NULL);
        return;
    }
    struct block same = block_named(s->text, name, s->path);
    if (name.size && !same.name.size && !has_word(s->text, name)) {
        r->verdict = NOT_APPLICABLE;
        set_note(&r->note, xasprintf("%.*s, which it changes, is not in %s", (int)name.size, name.at, s->path));
    } else if (r->note) {
        return; /* it fits, but in a wrong place */
    } else if (fits_trimmed(s->text, pre, true)) {
        set_note(&r->note, xstrdup("only the line ends differ (CRLF)"));
    } else if (fits_trimmed(s->text, pre, false)) {
        set_note(&r->note, xstrdup("only white space differs (indented anew?)"));
    } else if (!done && !near) {
        size_t found = 0;
        for (size_t i = 0; i < pre.count; i++)
            found += is_telling(pre.at[i]) && count_line(s->text, pre.at[i], s->from, s->to);
        if (telling && found * 4 < telling) {
            r->verdict = NOT_APPLICABLE;
            set_note(&r->note, xasprintf("the code that it changes is not in %s%s%.*s: %zu of %zu lines", s->path,
                                         same.name.size ? ", " : "", same.name.size ? (int)name.size : 0,
                                         same.name.size ? name.at : "", found, telling));
        } else {
            set_note(&r->note, xasprintf("%zu of the %zu lines that it expects are there", found, telling));
        }
    }
}

void judge_hunk(const struct patch *patch, const struct file_diff *diff, size_t number, const struct lines *text,
                const struct lines *old, long delta, struct hunk_result *r)
{
    const struct hunk *hunk = &diff->hunks[number];
    struct scene scene = {.patch = patch, .hunk = hunk, .diff = diff, .path = diff->new_path, .text = text, .old = old}, *s = &scene;
    struct lines pre = hunk_image(hunk, '+'), post = hunk_image(hunk, '-');
    long start = (long)(hunk->old_start ? hunk->old_start - 1 : 0) + delta;
    size_t expected = start < 0 ? 0 : (size_t)start, head = lead(hunk), line;
    find_old_block(s, pre);
    struct block same = s->old_block.name.size ? block_named(s->text, s->old_block.name, s->path) : (struct block){0};
    bool region_known = same.name.size;
    set_region(s, same, expected, pre.count);
    char *note = NULL;
    if (choose(s, pre, head, expected, &line, &note)) {
        struct block here = block_around(s->text, line + head, s->path);
        set_region(s, here, line, pre.count);
        judge_groups(s, r);
        size_t done = 0, part = 0;
        for (size_t i = 0; i < r->count; i++) {
            done += r->groups[i].state == DONE;
            part += r->groups[i].state == PART;
        }
        r->line = line + 1;
        r->offset = (long)line + 1 - (long)(hunk->old_start ? hunk->old_start : 1);
        r->verdict = done && done == r->count ? MERGED : done + part ? PARTLY_MERGED : r->offset ? OFFSET : CLEAN;
        if (done + part)
            set_note(&r->note, xstrdup("it would still apply, and add lines a second time"));
    } else if (!note && choose(s, post, head, expected, &line, &note)) {
        struct block here = block_around(s->text, line + head, s->path);
        set_region(s, here, line, post.count);
        judge_groups(s, r);
        for (size_t i = 0; i < r->count; i++)
            r->groups[i].state = DONE;
        r->line = line + 1;
        r->verdict = MERGED;
    } else {
        r->note = note;
        note = NULL;
        judge_rest(s, r, pre, expected, region_known);
    }
    free(note);
    free(pre.at);
    free(post.at);
}
