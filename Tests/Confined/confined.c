// Confines a program before its main begins, without changing its path, by which a manifest identifies it: loaded with
// LD_PRELOAD into everything a test starts, it acts in copies of one program only. Scripts/confine writes the filters.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static void fail(const char *what) {
    perror(what);
    _exit(111);
}

__attribute__((constructor)) static void confine(void) {
    const char *program = getenv("WAYMARK_CONFINED_PROGRAM"), *filters = getenv("WAYMARK_CONFINED_FILTERS");
    struct stat wanted, running;
    if (!program || !filters || stat(program, &wanted) < 0 || stat("/proc/self/exe", &running) < 0) return;
    // No other program has its size to the byte.
    if (wanted.st_size != running.st_size) return;
    int file = open(filters, O_RDONLY | O_CLOEXEC);
    if (file < 0) fail(filters);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) fail("PR_SET_NO_NEW_PRIVS");
    static struct sock_filter instructions[BPF_MAXINSNS];
    struct sock_filter *next = instructions;
    struct sock_fprog found[8];
    int count = 0;
    uint64_t size;
    // All are read before the first forbids to read.
    while (count < 8 && read(file, &size, sizeof size) == sizeof size) {
        size_t room = sizeof instructions - (size_t)((char *)next - (char *)instructions);
        if (size > room || read(file, next, size) != (ssize_t)size) fail(filters);
        found[count++] = (struct sock_fprog){.len = size / sizeof *next, .filter = next};
        next += size / sizeof *next;
    }
    close(file);
    for (int index = 0; index < count; index++)
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &found[index]) < 0) fail("PR_SET_SECCOMP");
}
