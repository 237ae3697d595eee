/*
 * The stock and the patched parser of Puma on the same bytes: the same callbacks
 * at the same places, the same state and the same error position, whole and cut
 * anywhere, with no read beyond the last byte.
 *
 *   requests.rb write SEED COUNT | parsers SEED
 *
 * prints how many requests and how many parses there were, or the first that
 * differ, and then ends with 1.  With -DLIBFUZZER it is a fuzz target.
 */
#include "parser_side.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static unsigned char *edge_end;

unsigned char *edge_copy(const unsigned char *bytes, size_t length)
{
    if (!edge_end) {
        size_t page = (size_t)sysconf(_SC_PAGESIZE);
        unsigned char *room = mmap(NULL, EDGE_ROOM + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (room == MAP_FAILED || mprotect(room + EDGE_ROOM, page, PROT_NONE)) {
            perror("parsers: mmap");
            exit(2);
        }
        edge_end = room + EDGE_ROOM;
    }
    return memcpy(edge_end - length, bytes, length);
}

static uint64_t parses;

/* Whether both sides agree; `cuts` ascending. */
static int same(const unsigned char *request, size_t length, const size_t *cuts, size_t count)
{
    static struct outcome stock, patched;
    stock_side(request, length, cuts, count, &stock);
    patched_side(request, length, cuts, count, &patched);
    parses += 2;
    size_t events = stock.count < MAX_EVENTS ? stock.count : MAX_EVENTS;
    return stock.count == patched.count && !memcmp(stock.events, patched.events, events * sizeof(*stock.events)) &&
           stock.returned == patched.returned && stock.nread == patched.nread && stock.body_start == patched.body_start &&
           stock.mark == patched.mark && stock.field_start == patched.field_start && stock.field_len == patched.field_len &&
           stock.query_start == patched.query_start && stock.state == patched.state && stock.error == patched.error &&
           stock.finished == patched.finished && !memcmp(stock.bytes, patched.bytes, length);
}

/* Whole, cut once, and in three pieces; a short one at every offset.  0: the
 * same.  Otherwise where it was cut, plus one. */
static size_t differs(const unsigned char *request, size_t length)
{
    if (!same(request, length, NULL, 0))
        return length + 1;
    size_t step = length <= 200 ? 1 : length / 16;
    for (size_t cut = 0; cut < length; cut += step) {
        size_t cuts[] = {cut, cut + (length - cut) / 2};
        if (!same(request, length, cuts, 1) || !same(request, length, cuts, 2))
            return cut + 1;
    }
    return 0;
}

#ifdef LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= EDGE_ROOM && differs(data, size))
        abort();
    return 0;
}
#else
int main(int argc, char **argv)
{
    static unsigned char request[EDGE_ROOM];
    unsigned char head[4];
    uint64_t seed = argc == 2 ? strtoull(argv[1], NULL, 10) : 0, count = 0;
    if (argc != 2) {
        fputs("usage: requests.rb write SEED COUNT | parsers SEED\n", stderr);
        return 2;
    }
    while (fread(head, 1, sizeof(head), stdin) == sizeof(head)) {
        size_t length = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
        if (length > sizeof(request) || fread(request, 1, length, stdin) != length) {
            fputs("parsers: the input is cut off\n", stderr);
            return 2;
        }
        size_t cut = differs(request, length);
        if (cut) {
            printf("the parsers differ on the request of seed %" PRIu64 ", cut after %zu of %zu bytes\n", seed + count, cut - 1, length);
            return 1;
        }
        count++;
    }
    printf("%" PRIu64 " requests, %" PRIu64 " parses: the same\n", count, parses);
    return 0;
}
#endif
