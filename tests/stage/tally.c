/*
 * tally: reads the log of one test suite, holds it against the ledger of
 * expected failures and the suite's recorded minimum, and writes the verdict
 * to REPORT_DIR/SUITE.json and REPORT_DIR/SUITE.txt.  Called by `run`.
 *
 * tally -s SUITE -f unit|btest|mspec -r RELEASE -l LEVEL -V stock|patched
 *       -u UID -x STATUS -t SECONDS -d FOLDER -o REPORT_DIR LOG [RETRY_LOG...]
 *
 * FOLDER holds `ledger` and `suites`; STATUS is the runner's exit status.
 * Exit status:
 *   0  passed; the counts are on stdout
 *   1  failed; the counts are on stdout, the reasons on stderr
 *   2  wrong usage, or a file that cannot be read, written or understood
 *   3  failed as yet: each test named on stdout (NAME, tab, FILE or nothing)
 *      deserves another run, alone.  Then call tally again with the same
 *      arguments and the logs of those runs, in the order of the names.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <jansson.h>

/* More failures than this are no flakiness: they are not run again. */
#define MAX_RETRIES 20

enum { PASSED, FAILED, USAGE, RETRY };

struct list { char **at; size_t count; };

struct failure {
	char *name, *file;
	int reported; /* not only seen in a line of -v */
};

/* What a log says.  Names point into the log's own lines, or into `names`. */
struct log {
	struct list lines, names;
	unsigned long tests, failures, errors, skips;
	/* Runners that started, and closing lines; fewer of these: a crash. */
	unsigned long starts, closings;
	struct failure *failed;
	size_t failed_count; /* names, each once */
	size_t reports;      /* failures with a name, as often as they were reported */
	int basic, leaked;   /* btest: 0 did not run, 1 passed, -1 failed */
};

struct entry {
	char *name, *reason;
	int holds, may;
	unsigned long ran, failed;
	const char *rest; /* mspec: what follows the describe string seen last */
};

static struct {
	const char *suite, *format, *release, *level, *variant, *folder, *out;
	unsigned long uid, status, seconds;
} opt;

/* The files `suites` and `ledger`; what is wrong with the run. */
static struct list table, ledger, problems;

static void die(const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "tally: ");
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(USAGE);
}

static void *grow(void *old, size_t count, size_t size)
{
	void *at = realloc(old, count * size);

	if (!at)
		die("out of memory");
	return at;
}

static void push(struct list *list, char *string)
{
	list->at = grow(list->at, list->count + 1, sizeof(char *));
	list->at[list->count++] = string;
}

static char *copy(const char *string)
{
	char *new = strdup(string);

	if (!new)
		die("out of memory");
	return new;
}

static void free_list(struct list *list)
{
	while (list->count)
		free(list->at[--list->count]);
	free(list->at);
}

static void problem(const char *format, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	push(&problems, copy(text));
}

static int starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* Where `tail` begins if `s` ends with it, else NULL. */
static char *ends_with(char *s, const char *tail)
{
	size_t length = strlen(s), want = strlen(tail);

	return length >= want && !strcmp(s + length - want, tail) ? s + length - want : NULL;
}

/* The file's lines without line ends; a NUL that a test printed becomes '?'. */
static struct list read_lines(const char *path)
{
	struct list lines = {NULL, 0};
	FILE *in = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t length, i;

	if (!in)
		die("%s: %s", path, strerror(errno));
	while ((length = getline(&line, &room, in)) >= 0) {
		while (length && (line[length - 1] == '\n' || line[length - 1] == '\r'))
			line[--length] = '\0';
		for (i = 0; i < length; i++)
			if (!line[i])
				line[i] = '?';
		push(&lines, line);
		line = NULL;
		room = 0;
	}
	if (ferror(in))
		die("%s: %s", path, strerror(errno));
	free(line);
	fclose(in);
	return lines;
}

/* Notes a failed test; `file` may be NULL.  The same name may come twice: a
 * failure of the test, and another of its teardown. */
static void failed_test(struct log *log, char *name, char *file, int reported)
{
	size_t i;

	log->reports += reported;
	for (i = 0; i < log->failed_count; i++) {
		if (!strcmp(log->failed[i].name, name)) {
			log->failed[i].reported |= reported;
			return;
		}
	}
	log->failed = grow(log->failed, log->failed_count + 1, sizeof(*log->failed));
	log->failed[log->failed_count++] = (struct failure){name, file, reported};
}

/* "  1) Failure:", as test-unit and minitest head each report. */
static int heads_report(const char *line)
{
	line += strspn(line, " ");
	if (!isdigit((unsigned char)*line))
		return 0;
	line += strspn(line, "0123456789");
	return !strcmp(line, ") Failure:") || !strcmp(line, ") Error:") || !strcmp(line, ") Timeout:");
}

/* The name in a line `Class#test = 0.01 s = F` or `Class#"a test" = ...` of -v,
 * whatever was printed before it, if the result is one of `results`; or NULL.
 * The caller owns it. */
static char *verbose_name(const char *whole, const char *results)
{
	char *line, *end, *name, *hash, *from, *to;
	size_t length = strlen(whole);

	if (length < 6 || !strchr(results, whole[length - 1]) || strncmp(whole + length - 6, " s = ", 5))
		return NULL;
	line = copy(whole);
	for (end = line + length - 6; end > line && (isdigit((unsigned char)end[-1]) || end[-1] == '.'); end--)
		;
	hash = strchr(line, '#');
	if (end - line < 3 || strncmp(end - 3, " = ", 3) || !hash || hash > end - 3) {
		free(line);
		return NULL;
	}
	end[-3] = '\0';
	for (name = hash; name > line && (isalnum((unsigned char)name[-1]) || strchr("_:", name[-1])); name--)
		;
	if (hash[1] == '"' && end[-4] == '"') { /* Ruby's String#inspect */
		end[-4] = '\0';
		for (from = to = hash + 1; *++from; *to++ = *from)
			if (*from == '\\' && from[1])
				from++;
		*to = '\0';
	}
	memmove(line, name, strlen(name) + 1);
	return line;
}

/*
 * tool/lib/test/unit.rb and minitest.  The line after a report's head is
 * "Class#test [file:line]:", "Class#test:" (an error) or "Class#test" (a
 * worker that timed out).
 *
 * The lines of -v count too: with -j, a worker's reports are lost, and are in
 * no closing line, if the main process lacks the class of one of its
 * exceptions ("unknown object"); seen with Socket::ResolutionError.
 */
static void parse_unit(struct log *log)
{
	unsigned long n, failures, errors, skips, seen_failures = 0, seen_errors = 0;
	char what[6], result, *line, *end;
	size_t i;
	int all;

	for (i = 0; i < log->lines.count; i++) {
		line = log->lines.at[i];
		all = 0;
		if (starts_with(line, "# Running")) {
			log->starts++;
		} else if (sscanf(line, "%lu %5[a-z], %*u assertions, %lu failures, %lu errors, %lu skips%n",
				  &n, what, &failures, &errors, &skips, &all) == 5 && all) {
			log->closings++;
			log->tests += n;
			log->failures += failures;
			log->errors += errors;
			log->skips += skips;
		} else if (heads_report(line) && i + 1 < log->lines.count) {
			line = log->lines.at[++i];
			end = ends_with(line, "]:");
			if (end)
				while (end > line && strncmp(end, " [", 2))
					end--;
			else
				end = ends_with(line, ":");
			if (end && end > line)
				*end = '\0';
			failed_test(log, line, NULL, 1);
		} else if (*line) {
			result = line[strlen(line) - 1];
			line = verbose_name(line, "FET");
			if (!line)
				continue;
			push(&log->names, line);
			failed_test(log, line, NULL, 0);
			if (result == 'F')
				seen_failures++;
			else
				seen_errors++;
		}
	}
	if (log->failures < seen_failures)
		log->failures = seen_failures;
	if (log->errors < seen_errors)
		log->errors = seen_errors;
	for (i = 0; i < log->failed_count; i++)
		log->reports += !log->failed[i].reported;
}

/*
 * bootstraptest/runner.rb, and the two checks that `make test` makes besides:
 * basictest/runner.rb and tool/leaked-globals, counted as a test each.  A
 * report begins "#12 test_io.rb:34: "; with -v the run of a test has no colon
 * after the line number.
 */
static void parse_btest(struct log *log)
{
	unsigned long n, failures;
	char *line, *name, *end;
	size_t i, length;

	for (i = 0; i < log->lines.count; i++) {
		line = log->lines.at[i];
		if (starts_with(line, "Target is ")) {
			log->starts++;
		} else if (sscanf(line, "PASS all %lu tests", &n) == 1) {
			log->closings++;
			log->tests += n;
		} else if (sscanf(line, "FAIL %lu/%lu tests failed", &failures, &n) == 2) {
			log->closings++;
			log->tests += n;
			log->failures += failures;
		} else if (!strcmp(line, "No tests, no problem")) { /* KNOWNBUGS.rb */
			log->closings++;
		} else if (!strcmp(line, "test succeeded")) {
			log->basic = log->basic ? log->basic : 1;
		} else if (!strcmp(line, "test failed")) {
			log->basic = -1;
		} else if (starts_with(line, "Checking leaked global symbols...")) {
			log->leaked = ends_with(line, "none") && log->leaked >= 0 ? 1 : -1;
		} else if (line[0] == '#' && isdigit((unsigned char)line[1])) {
			name = line + 1 + strspn(line + 1, "0123456789");
			if (*name++ != ' ')
				continue;
			length = strcspn(name, " ");
			if (length < 2 || name[length - 1] != ':' || !isdigit((unsigned char)name[length - 2]))
				continue;
			name[length - 1] = '\0';
			end = strrchr(name, ':');
			failed_test(log, name, end ? strndup(name, (size_t)(end - name)) : NULL, 1);
		}
	}
	log->tests += !!log->basic + !!log->leaked;
	if (log->basic < 0) {
		log->failures++;
		failed_test(log, "test-basic", NULL, 1);
	}
	if (log->leaked < 0) {
		log->failures++;
		failed_test(log, "leaked-globals", NULL, 1);
	}
}

/* Ends the line before " FAILED" or " ERROR"; false if it has neither. */
static int cut_outcome(char *line)
{
	char *end = ends_with(line, " FAILED");

	if (!end)
		end = ends_with(line, " ERROR");
	if (end)
		*end = '\0';
	return end != NULL;
}

/* A line "12)" and no more. */
static int is_ordinal(const char *line)
{
	size_t digits = strspn(line, "0123456789");

	return digits && !strcmp(line + digits, ")");
}

/*
 * mspec with -fs.  A report is "12)", the example's description with its
 * outcome (before it, perhaps, "An exception occurred during: before :each"),
 * the message, and the backtrace, which names the spec's file.
 */
static void parse_mspec(struct log *log)
{
	unsigned long n, failures, errors;
	char *line, *end, *file;
	size_t i, j;

	for (i = 0; i < log->lines.count; i++) {
		line = log->lines.at[i];
		if (sscanf(line, "%*u file%*[s,] %lu example%*[s,] %*u expectation%*[s,] %lu failure%*[s,] %lu error%*[s,] %*u tagge%*1[d]",
			   &n, &failures, &errors) == 3) {
			log->starts++;
			log->closings++;
			log->tests += n;
			log->failures += failures;
			log->errors += errors;
		} else if (is_ordinal(line) && i + 1 < log->lines.count) {
			j = i + 1;
			if (starts_with(log->lines.at[j], "An exception occurred during: ") &&
			    j + 1 < log->lines.count && !ends_with(log->lines.at[j], " ERROR") &&
			    !ends_with(log->lines.at[j], " FAILED"))
				j++;
			line = log->lines.at[j];
			if (!cut_outcome(line))
				continue;
			file = NULL;
			for (j++; j < log->lines.count && !file && !is_ordinal(log->lines.at[j]); j++) {
				end = strstr(log->lines.at[j], "_spec.rb:");
				if (end && log->lines.at[j][0] == '/')
					file = strndup(log->lines.at[j], (size_t)(end - log->lines.at[j]) + strlen("_spec.rb"));
			}
			failed_test(log, line, file, 1);
		}
	}
}

static struct log read_log(const char *path)
{
	struct log log;

	memset(&log, 0, sizeof(log));
	log.lines = read_lines(path);
	if (!strcmp(opt.format, "unit"))
		parse_unit(&log);
	else if (!strcmp(opt.format, "btest"))
		parse_btest(&log);
	else
		parse_mspec(&log);
	return log;
}

static void free_log(struct log *log)
{
	while (log->failed_count)
		free(log->failed[--log->failed_count].file);
	free(log->failed);
	free_list(&log->lines);
	free_list(&log->names);
}

/*
 * The suite's minimum from the table `suites`; 0 if it has no such line.
 * `known` tells whether the suite and the release (NULL: any) occur at all.
 */
static unsigned long minimum(const char *suite, const char *release, int *known)
{
	char name[64], of[64], level[16];
	unsigned long n, found = 0;
	size_t i;

	*known = 0;
	for (i = 0; i < table.count; i++) {
		if (!table.at[i][0] || table.at[i][0] == '#')
			continue;
		if (sscanf(table.at[i], "%63s %63s %15s %lu", name, of, level, &n) != 4)
			die("%s/suites:%zu: not SUITE RELEASE LEVEL MINIMUM", opt.folder, i + 1);
		if (strcmp(name, suite) || (release && strcmp(of, release)))
			continue;
		*known = 1;
		if (!strcmp(level, opt.level))
			found = n;
	}
	return found;
}

/* Each of these is the very call that fails in the tests concerned.  Asking a
 * name server may take seconds, so the answers are kept. */
static int no_ip6_name(void)
{
	static int answer = -1;
	struct in6_addr loopback = IN6ADDR_LOOPBACK_INIT;

	if (answer < 0)
		answer = !gethostbyaddr(&loopback, sizeof(loopback), AF_INET6);
	return answer;
}

static int offline(void)
{
	static int answer = -1;
	struct sockaddr_in6 loopback = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	char host[NI_MAXHOST];

	if (answer < 0)
		answer = getnameinfo((struct sockaddr *)&loopback, sizeof(loopback), host, sizeof(host), NULL, 0, 0) != 0;
	return answer;
}

static int no_ip6_localhost(void)
{
	static int answer = -1;
	struct addrinfo hints = {.ai_family = AF_INET6, .ai_socktype = SOCK_STREAM}, *found = NULL;

	if (answer < 0)
		answer = getaddrinfo("localhost", NULL, &hints, &found) != 0;
	if (found)
		freeaddrinfo(found);
	return answer;
}

/* Connecting a UDP socket asks for the route and sends nothing. */
static int no_route(void)
{
	struct sockaddr_in far = {.sin_family = AF_INET, .sin_port = htons(1)};
	int s = socket(AF_INET, SOCK_DGRAM, 0), answer;

	inet_pton(AF_INET, "192.0.2.1", &far.sin_addr);
	answer = s < 0 || connect(s, (struct sockaddr *)&far, sizeof(far)) < 0;
	close(s);
	return answer;
}

static int no_alarm_clock(void)
{
	struct timespec now;

	return clock_gettime(8 /* CLOCK_REALTIME_ALARM of linux/time.h */, &now) < 0;
}

/* Whether a condition of the ledger holds here. */
static int holds(const char *condition, int *understood)
{
	static const struct { const char *name; int (*holds)(void); } machine[] = {
		{"no-ip6-name", no_ip6_name}, {"no-ip6-localhost", no_ip6_localhost},
		{"offline", offline}, {"no-route", no_route}, {"no-alarm-clock", no_alarm_clock},
	};
	size_t i;

	*understood = 1;
	if (!strcmp(condition, "any") || !strcmp(condition, "may"))
		return 1;
	if (!strcmp(condition, "root"))
		return opt.uid == 0;
	if (!strcmp(condition, "stock"))
		return !strcmp(opt.variant, "stock");
	for (i = 0; i < sizeof(machine) / sizeof(*machine); i++)
		if (!strcmp(condition, machine[i].name))
			return machine[i].holds();
	*understood = 0;
	return 0;
}

/* The ledger's lines of this suite and release; its head documents the format. */
static struct entry *read_ledger(size_t *count)
{
	char path[4096], *field[4], *line, *condition, *next;
	struct entry *entries = NULL, entry;
	int known, relevant;
	size_t i, n;

	snprintf(path, sizeof(path), "%s/ledger", opt.folder);
	ledger = read_lines(path);
	*count = 0;
	for (i = 0; i < ledger.count; i++) {
		if (!ledger.at[i][0] || ledger.at[i][0] == '#')
			continue;
		for (n = 0, line = ledger.at[i]; line; line = next) {
			next = strchr(line, '\t');
			if (next)
				*next++ = '\0';
			if (n < 4)
				field[n] = line;
			n++;
			if (!*line)
				n = 5;
		}
		if (n != 4)
			die("%s:%zu: not SUITE, NAME, CONDITIONS and REASON with a tab between", path, i + 1);
		minimum(field[0], NULL, &known);
		if (!known)
			die("%s:%zu: no suite %s in %s/suites", path, i + 1, field[0], opt.folder);
		memset(&entry, 0, sizeof(entry));
		entry.name = field[1];
		entry.reason = field[3];
		entry.holds = 1;
		relevant = !strcmp(field[0], opt.suite);
		for (n = 0, condition = strtok_r(field[2], ",", &next); condition;
		     n++, condition = strtok_r(NULL, ",", &next)) {
			if (n == 0 && strcmp(condition, "any")) {
				minimum(field[0], condition, &known);
				if (!known)
					die("%s:%zu: %s: no release of suite %s", path, i + 1, condition, field[0]);
				relevant = relevant && !strcmp(condition, opt.release);
				continue;
			}
			entry.may |= !strcmp(condition, "may");
			entry.holds &= holds(condition, &known);
			if (!known)
				die("%s:%zu: unknown condition: %s", path, i + 1, condition);
		}
		if (!relevant)
			continue;
		entries = grow(entries, *count + 1, sizeof(*entries));
		entries[(*count)++] = entry;
	}
	return entries;
}

/* "Class#*" stands for each test of the class. */
static int is_class(const struct entry *entry)
{
	size_t length = strlen(entry->name);

	return length > 2 && !strcmp(entry->name + length - 2, "#*");
}

static int covers(const struct entry *entry, const char *test)
{
	return is_class(entry) ? !strncmp(entry->name, test, strlen(entry->name) - 1) : !strcmp(entry->name, test);
}

/* Whether this line of test-unit or minitest -v, "Class#test = 0.01 s = .",
 * is of the entry's test.  A name that is no plain word stands in quotes. */
static int ran_unit(const struct entry *entry, const char *line)
{
	size_t hash = strcspn(entry->name, "#") + 1, length = strlen(entry->name);
	const char *at, *test;

	if (hash > length)
		return 0;
	for (at = line; (at = strstr(at, " = ")); at++) {
		for (test = line; test < at; test++) {
			if (strncmp(test, entry->name, hash))
				continue;
			if (test > line && (isalnum((unsigned char)test[-1]) || strchr("_:", test[-1])))
				continue;
			if (!strcmp(entry->name + hash, "*"))
				return 1;
			if ((size_t)(at - test) == length && !strncmp(test, entry->name, length))
				return 1;
			if ((size_t)(at - test) == length + 2 && test[hash] == '"' && at[-1] == '"' &&
			    !strncmp(test + hash + 1, entry->name + hash, length - hash))
				return 1;
		}
	}
	return 0;
}

/* Counts, for each entry, the tests that ran. */
static void find_ran(const struct log *log, struct entry *entries, size_t count)
{
	char text[512];
	struct entry *entry;
	const char *line, *tail;
	size_t i, n;

	for (entry = entries; entry < entries + count; entry++) {
		snprintf(text, sizeof(text), " %s ", entry->name);
		if (!strcmp(entry->name, "test-basic"))
			entry->ran = log->basic != 0;
		if (!strcmp(entry->name, "leaked-globals"))
			entry->ran = log->leaked != 0;
		for (i = 0; i < log->lines.count; i++) {
			line = log->lines.at[i];
			if (!strcmp(opt.format, "unit")) {
				entry->ran += ran_unit(entry, line);
			} else if (!strcmp(opt.format, "btest")) {
				entry->ran += line[0] == '#' && strstr(line, text);
			} else if (starts_with(line, "- ")) {
				if (!entry->rest)
					continue;
				n = strlen(entry->rest);
				tail = line + 2 + n;
				entry->ran += starts_with(line + 2, entry->rest) &&
					(!*tail || starts_with(tail, " (ERROR - ") || starts_with(tail, " (FAILED - "));
			} else if (*line && (i == 0 || !*log->lines.at[i - 1])) { /* a describe string */
				n = strlen(line);
				entry->rest = starts_with(entry->name, line) && entry->name[n] == ' ' ? entry->name + n + 1 : NULL;
			}
		}
		for (i = 0; i < log->failed_count; i++)
			entry->failed += covers(entry, log->failed[i].name);
	}
}

/* A JSON string; what is no UTF-8 in a test's name becomes '?'. */
static json_t *text(const char *s)
{
	json_t *json = json_string(s);
	char *plain, *c;

	if (json)
		return json;
	plain = copy(s);
	for (c = plain; *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	json = json_string(plain);
	free(plain);
	return json;
}

/* Opens REPORT_DIR/SUITE.KIND under a temporary name. */
static FILE *open_report(const char *kind, char *temporary, char *final, size_t size)
{
	FILE *out;

	snprintf(final, size, "%s/%s.%s", opt.out, opt.suite, kind);
	snprintf(temporary, size, "%s/.%s.%s.new", opt.out, opt.suite, kind);
	out = fopen(temporary, "w");
	if (!out)
		die("%s: %s", temporary, strerror(errno));
	return out;
}

static void close_report(FILE *out, const char *temporary, const char *final)
{
	if (fflush(out) || ferror(out) || fclose(out) || rename(temporary, final))
		die("%s: %s", final, strerror(errno));
}

static void write_names(FILE *out, json_t *report, const char *key, struct list *names)
{
	json_t *array = json_array();
	size_t i;

	fprintf(out, "%s: %zu\n", key, names->count);
	for (i = 0; i < names->count; i++) {
		fprintf(out, "  %s\n", names->at[i]);
		json_array_append_new(array, text(names->at[i]));
	}
	json_object_set_new(report, key, array);
}

static void write_report(const struct log *log, struct list *excluded, struct list *flaky, struct list *failed)
{
	const char *verdict = problems.count ? "failed" : "passed";
	char temporary[4096], final[4096], json_temporary[4096], json_final[4096];
	FILE *out = open_report("txt", temporary, final, sizeof(final)), *json;
	json_t *report = json_object();
	struct { const char *key; unsigned long value; } numbers[] = {
		{"tests", log->tests}, {"failures", log->failures}, {"errors", log->errors},
		{"skips", log->skips}, {"seconds", opt.seconds}, {"uid", opt.uid},
	};
	struct { const char *key, *value; } words[] = {
		{"suite", opt.suite}, {"release", opt.release}, {"variant", opt.variant},
		{"level", opt.level}, {"verdict", verdict},
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		fprintf(out, "%s: %s\n", words[i].key, words[i].value);
		json_object_set_new(report, words[i].key, text(words[i].value));
	}
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		fprintf(out, "%s: %lu\n", numbers[i].key, numbers[i].value);
		json_object_set_new(report, numbers[i].key, json_integer((json_int_t)numbers[i].value));
	}
	write_names(out, report, "excluded", excluded);
	write_names(out, report, "flaky", flaky);
	write_names(out, report, "failed", failed);
	write_names(out, report, "problems", &problems);
	close_report(out, temporary, final);

	json = open_report("json", json_temporary, json_final, sizeof(json_final));
	if (json_dumpf(report, json, JSON_INDENT(2) | JSON_PRESERVE_ORDER))
		die("%s: cannot be written", json_final);
	fputc('\n', json);
	close_report(json, json_temporary, json_final);
	json_decref(report);
}

static unsigned long number(const char *s)
{
	char *end;
	unsigned long n = strtoul(s, &end, 10);

	if (!isdigit((unsigned char)*s) || *end)
		die("%s: not a number", s);
	return n;
}

static void read_options(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "s:f:r:l:V:u:x:t:d:o:")) >= 0)
		switch (c) {
		case 's': opt.suite = optarg; break;
		case 'f': opt.format = optarg; break;
		case 'r': opt.release = optarg; break;
		case 'l': opt.level = optarg; break;
		case 'V': opt.variant = optarg; break;
		case 'u': opt.uid = number(optarg); break;
		case 'x': opt.status = number(optarg); break;
		case 't': opt.seconds = number(optarg); break;
		case 'd': opt.folder = optarg; break;
		case 'o': opt.out = optarg; break;
		default: exit(USAGE);
		}
	if (!opt.suite || !opt.format || !opt.release || !opt.level || !opt.variant || !opt.folder || !opt.out || optind >= argc)
		die("an option or the log is missing; tally.c's head has the usage");
	if (strcmp(opt.format, "unit") && strcmp(opt.format, "btest") && strcmp(opt.format, "mspec"))
		die("-f %s: not unit, btest or mspec", opt.format);
}

/* What is wrong with the run as a whole, whichever tests failed. */
static void check_run(const struct log *log, const char *path, unsigned long least)
{
	if (!log->closings || log->closings != log->starts)
		problem("%lu closing lines of %lu runners: one crashed or was killed (exit status %lu); see the end of %s",
			log->closings, log->starts, opt.status, path);
	if (!strcmp(opt.format, "btest") && (!log->basic || !log->leaked))
		problem("test-basic or leaked-globals did not run; see %s", path);
	if (!log->tests || log->tests < least)
		problem("ran %lu tests; %lu are the recorded minimum", log->tests, least);
	if (log->failures + log->errors > log->reports)
		problem("%lu failures and errors, but only %zu with a test's name; see %s",
			log->failures + log->errors, log->reports, path);
	if (opt.status && !log->reports)
		problem("exit status %lu though no test failed; see %s", opt.status, path);
}

/* What is wrong with the ledger: only a full run has all the tests that it names. */
static void check_ledger(const struct entry *entry)
{
	if (!entry->ran && !entry->failed) {
		if (!strcmp(opt.level, "full"))
			problem("stale ledger line: no test ran that is named %s", entry->name);
	} else if (entry->holds && !entry->may && (is_class(entry) ? entry->failed < entry->ran : !entry->failed)) {
		problem("stale ledger line: did not fail: %s", entry->name);
	}
}

/* The ledger line that expects this failure here, or NULL. */
static const struct entry *expected(const struct entry *entries, size_t count, const char *test)
{
	const struct entry *entry;

	for (entry = entries; entry < entries + count; entry++)
		if (entry->holds && covers(entry, test))
			return entry;
	return NULL;
}

/* Whether the log of a second run, alone, shows that the test passes. */
static int passed_again(const char *path, const char *test)
{
	struct log log = read_log(path);
	int passed = log.tests && log.closings && log.closings == log.starts &&
		log.failures + log.errors <= log.reports;
	size_t i;

	for (i = 0; i < log.failed_count; i++)
		passed = passed && strcmp(log.failed[i].name, test);
	free_log(&log);
	return passed;
}

int main(int argc, char **argv)
{
	struct list excluded = {NULL, 0}, flaky = {NULL, 0}, failed = {NULL, 0};
	struct log log;
	struct failure *unexpected;
	struct entry *entries;
	const struct entry *entry;
	size_t entry_count, count = 0, retries, i;
	unsigned long least;
	char path[4096];
	int known, status;

	read_options(argc, argv);
	snprintf(path, sizeof(path), "%s/suites", opt.folder);
	table = read_lines(path);
	least = minimum(opt.suite, opt.release, &known);
	if (!least)
		die("%s: no minimum for %s %s %s", path, opt.suite, opt.release, opt.level);
	entries = read_ledger(&entry_count);
	log = read_log(argv[optind]);
	check_run(&log, argv[optind], least);
	find_ran(&log, entries, entry_count);
	for (i = 0; i < entry_count; i++)
		check_ledger(&entries[i]);

	unexpected = grow(NULL, log.failed_count + 1, sizeof(*unexpected));
	for (i = 0; i < log.failed_count; i++) {
		entry = expected(entries, entry_count, log.failed[i].name);
		if (!entry) {
			unexpected[count++] = log.failed[i];
			continue;
		}
		snprintf(path, sizeof(path), "%s: %s", log.failed[i].name, entry->reason);
		push(&excluded, copy(path));
	}
	retries = (size_t)(argc - optind - 1);
	if (count && count <= MAX_RETRIES && !problems.count && !retries) {
		for (i = 0; i < count; i++)
			printf("%s\t%s\n", unexpected[i].name, unexpected[i].file ? unexpected[i].file : "");
		exit(RETRY);
	}
	if (retries && retries != count)
		die("%zu logs of %zu tests run again", retries, count);
	for (i = 0; i < count; i++) {
		if (retries && passed_again(argv[optind + 1 + i], unexpected[i].name)) {
			push(&flaky, unexpected[i].name);
			continue;
		}
		problem("failed%s: %s", retries ? ", and again alone" : "", unexpected[i].name);
		push(&failed, unexpected[i].name);
	}
	write_report(&log, &excluded, &flaky, &failed);
	printf("%s: %s: %lu tests, %lu failures, %lu errors, %lu skips, %zu excluded, %zu flaky, %lu s\n", opt.suite,
	       problems.count ? "failed" : "passed", log.tests, log.failures, log.errors, log.skips,
	       excluded.count, flaky.count, opt.seconds);
	for (i = 0; i < excluded.count; i++)
		printf("%s: excluded: %s\n", opt.suite, excluded.at[i]);
	for (i = 0; i < flaky.count; i++)
		printf("%s: flaky, passed alone: %s\n", opt.suite, flaky.at[i]);
	for (i = 0; i < problems.count; i++)
		fprintf(stderr, "%s: %s\n", opt.suite, problems.at[i]);
	status = problems.count ? FAILED : PASSED;
	free_log(&log);
	free(entries);
	free(unexpected);
	free(flaky.at);
	free(failed.at);
	free_list(&excluded);
	free_list(&table);
	free_list(&ledger);
	free_list(&problems);
	return status;
}
