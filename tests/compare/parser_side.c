/* A build of Puma's parser under a name of its own: -DSIDE=stock or patched, with
 * its ext/puma_http11 and this folder in the include path. */
#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define puma_parser_init JOIN(SIDE, puma_parser_init)
#define puma_parser_finish JOIN(SIDE, puma_parser_finish)
#define puma_parser_execute JOIN(SIDE, puma_parser_execute)
#define puma_parser_has_error JOIN(SIDE, puma_parser_has_error)
#define puma_parser_is_finished JOIN(SIDE, puma_parser_is_finished)
#include "http11_parser.c"

#include "parser_side.h"

static struct outcome *out;
static const char *base;

static void record(int kind, const char *name, size_t name_length, const char *at, size_t length)
{
    if (out->count < MAX_EVENTS)
        out->events[out->count] = (struct event){kind, (size_t)(at - base), length, name ? (size_t)(name - base) : 0, name_length};
    out->count++;
}

static void field(struct puma_parser *hp, const char *name, size_t name_length, const char *value, size_t length)
{
    (void)hp;
    record(0, name, name_length, value, length);
}

#define ELEMENT(number) \
    static void element_##number(struct puma_parser *hp, const char *at, size_t length) { (void)hp; record(number, NULL, 0, at, length); }
ELEMENT(1) ELEMENT(2) ELEMENT(3) ELEMENT(4) ELEMENT(5) ELEMENT(6) ELEMENT(7)

void JOIN(SIDE, side)(const unsigned char *request, size_t length, const size_t *cuts, size_t count, struct outcome *outcome)
{
    static puma_parser parser; /* 1 kB and more */
    memset(&parser, 0, sizeof(parser));
    puma_parser_init(&parser);
    parser.http_field = field;
    parser.request_method = element_1;
    parser.request_uri = element_2;
    parser.fragment = element_3;
    parser.request_path = element_4;
    parser.query_string = element_5;
    parser.server_protocol = element_6;
    parser.header_done = element_7;
    static unsigned char bytes[EDGE_ROOM];
    memcpy(bytes, request, length);
    out = outcome;
    out->bytes = bytes;
    out->count = 0;
    out->returned = 0;
    for (size_t i = 0; i <= count; i++) {
        size_t size = i < count ? cuts[i] : length;
        /* As HttpParser#execute does: not at or before where it stopped. */
        if (puma_parser_nread(&parser) >= size || puma_parser_has_error(&parser) || puma_parser_is_finished(&parser))
            continue;
        base = (const char *)edge_copy(bytes, size);
        out->returned = puma_parser_execute(&parser, base, size, puma_parser_nread(&parser));
        memcpy(bytes, base, size);
    }
    out->nread = puma_parser_nread(&parser);
    out->body_start = parser.body_start;
    out->mark = parser.mark;
    out->field_start = parser.field_start;
    out->field_len = parser.field_len;
    out->query_start = parser.query_start;
    out->state = parser.cs;
    out->error = puma_parser_has_error(&parser);
    out->finished = puma_parser_is_finished(&parser);
}
