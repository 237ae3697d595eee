/*
 * still PROGRAM [ARGUMENT...]: run PROGRAM the same way each time, for pgo: what
 * the kernel randomizes (addresses, and the 16 bytes that stack guards are made
 * of, whose low bits Ruby's collector sees) is fixed, as far as this machine
 * allows.  Compiled with -DPRELOAD it is a library for LD_PRELOAD that fixes what
 * a program asks for: random bytes, and the time.  Exit code: PROGRAM's; 126 if it
 * cannot be run, 128 and the signal's number if one ended it.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/types.h>

#ifdef PRELOAD
#include <time.h>

ssize_t getrandom(void *to, size_t size, unsigned flags)
{
    (void)flags;
    memset(to, 42, size);
    return (ssize_t)size;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    (void)clock;
    *now = (struct timespec){1, 0};
    return 0;
}

#else
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* Overwrites the random bytes of a program that was started and has not run yet. */
static void fix_random(pid_t child)
{
    char name[64];
    ElfW(auxv_t) entry;
    static const char bytes[16] = "ruby-patchset..";
    snprintf(name, sizeof(name), "/proc/%d/auxv", (int)child);
    int auxv = open(name, O_RDONLY);
    snprintf(name, sizeof(name), "/proc/%d/mem", (int)child);
    int memory = open(name, O_WRONLY);
    while (auxv >= 0 && memory >= 0 && read(auxv, &entry, sizeof(entry)) == sizeof(entry))
        if (entry.a_type == AT_RANDOM && pwrite(memory, bytes, sizeof(bytes), (off_t)entry.a_un.a_val) < 0)
            perror("still: AT_RANDOM");
    close(auxv);
    close(memory);
}

int main(int argc, char **argv)
{
    int status;
    pid_t child = argc > 1 ? fork() : -1;
    if (child == 0) {
        personality(ADDR_NO_RANDOMIZE);
        ptrace(PTRACE_TRACEME, 0, NULL, NULL); /* stops after exec */
        execv(argv[1], argv + 1);
        perror(argv[1]);
        _exit(126);
    }
    while (child > 0 && waitpid(child, &status, 0) == child) {
        if (WIFEXITED(status))
            return WEXITSTATUS(status);
        if (WIFSIGNALED(status))
            return 128 + WTERMSIG(status);
        fix_random(child);
        ptrace(PTRACE_DETACH, child, NULL, NULL);
    }
    fprintf(stderr, argc > 1 ? "still: cannot start %s\n" : "usage: still PROGRAM [ARGUMENT...]\n", argv[1]);
    return 126;
}
#endif
