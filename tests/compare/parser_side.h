/* One of two builds of Puma's parser, as parsers.c calls it. */
#ifndef PARSER_SIDE_H
#define PARSER_SIDE_H

#include <stddef.h>

enum { MAX_EVENTS = 4096 };

/* A callback: which one, and where its bytes lie in the request. */
struct event { int kind; size_t at, length, name_at, name_length; };

/* All that the parser's caller sees. */
struct outcome {
    size_t count;          /* of events, also of those beyond MAX_EVENTS */
    struct event events[MAX_EVENTS];
    size_t returned, nread, body_start, mark, field_start, field_len, query_start;
    int state, error, finished;
    unsigned char *bytes;  /* the request as the parser left it: it writes names in upper case */
};

/*
 * Parses `length` bytes as they come in: the first cuts[0], then cuts[1] and so
 * on, then all.  The bytes of each step end where mapped memory ends.  `outcome`
 * gets what came out; its `bytes` belong to the side, until its next call.
 */
typedef void parser_side(const unsigned char *request, size_t length, const size_t *cuts, size_t count, struct outcome *outcome);
parser_side stock_side, patched_side;

/* Copies `length` bytes so that the byte after the last is in no mapped page;
 * at most EDGE_ROOM.  The place is the same for each call. */
enum { EDGE_ROOM = 1 << 20 };
unsigned char *edge_copy(const unsigned char *bytes, size_t length);

#endif
