// System calls that only tests need, as another user's identity for the calling thread alone.
#ifndef WAYMARK_CTEST_H
#define WAYMARK_CTEST_H
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <linux/prctl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../Sources/CLinux/shim.h"

/// Replaces each mapping of this program's own file by a copy that has no file: the kernel changes the link
/// /proc/PID/exe only then, prctl(2). 0, or -1 and errno.
static inline int waymark_test_leave_own_file(void) {
    struct { uintptr_t start, end; int rights; } found[64];
    char own[4096], line[8192];
    int count = 0;
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    FILE *maps = length < 0 ? NULL : fopen("/proc/self/maps", "re");
    if (!maps) return -1;
    own[length] = 0;
    while (fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        char rights[8];
        int path = 0;
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %n", &start, &end, rights, &path) < 3 || path == 0) continue;
        line[strcspn(line, "\n")] = 0;
        if (strcmp(line + path, own) != 0 || count == 64) continue;
        found[count].start = start;
        found[count].end = end;
        found[count++].rights = (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0)
            | (rights[2] == 'x' ? PROT_EXEC : 0);
    }
    fclose(maps);
    for (int index = 0; index < count; index++) {
        size_t size = found[index].end - found[index].start;
        void *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (copy == MAP_FAILED) return -1;
        memcpy(copy, (void *)found[index].start, size);
        if (mprotect(copy, size, found[index].rights) != 0) return -1;
        // MREMAP_MAYMOVE | MREMAP_FIXED, which the headers have for GNU sources only.
        if (syscall(SYS_mremap, copy, size, size, 3, found[index].start) == -1) return -1;
    }
    return 0;
}

/// Changes the link /proc/PID/exe of the memory of the calling process. The process has to be in a user namespace of
/// its own.
static inline int waymark_test_change_program(const char *path) {
    char text[4096];
    unsigned long field[53] = {0};
    FILE *stat = fopen("/proc/self/stat", "re");
    if (!stat) return -1;
    size_t length = fread(text, 1, sizeof text - 1, stat);
    fclose(stat);
    text[length] = 0;
    char *rest = strrchr(text, ')'), *state = NULL;
    int index = 3;
    for (char *word = strtok_r(rest ? rest + 2 : text, " ", &state); word && index < 53;
         word = strtok_r(NULL, " ", &state), index++)
        field[index] = strtoul(word, NULL, 10);
    int program = open(path, O_RDONLY | O_CLOEXEC);
    if (program < 0) return -1;
    struct prctl_mm_map map = {
        .start_code = field[26], .end_code = field[27], .start_stack = field[28], .start_data = field[45],
        .end_data = field[46], .start_brk = field[47], .brk = (unsigned long)syscall(SYS_brk, 0),
        .arg_start = field[48], .arg_end = field[49], .env_start = field[50], .env_end = field[51], .exe_fd = program};
    return prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0);
}

static inline int waymark_test_change_program_and_end(void *path) {
    _exit(waymark_test_change_program((const char *)path) == 0 ? 0 : errno);
}

/// Has the link /proc/PID/exe of this process name another program: by entering a user namespace (0), or by a process
/// that shares the memory of this one and is in a user namespace, which this one is not (1). 0, or -1 and errno.
static inline int waymark_test_pretend(const char *path, int shares_memory) {
    if (waymark_test_leave_own_file() != 0) return -1;
    if (!shares_memory)
        return syscall(SYS_unshare, 0x10000000) != 0 ? -1 : waymark_test_change_program(path);
    static char stack[262144] __attribute__((aligned(16)));
    // CLONE_VM | CLONE_NEWUSER
    int process = clone(
        waymark_test_change_program_and_end, stack + sizeof stack, 0x100 | 0x10000000 | SIGCHLD, (void *)(uintptr_t)path);
    int status = 0;
    if (process < 0 || waitpid(process, &status, 0) != process) return -1;
    errno = WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
    return errno == 0 ? 0 : -1;
}

/// Gives the calling thread a user, a group and supplementary groups, with root as the saved ids, to be restored later.
/// The system calls themselves: glibc's functions would change every thread, setresuid(2).
static inline int waymark_test_become(uid_t user, gid_t group, const gid_t *groups, size_t count) {
    if (syscall(SYS_setgroups, count, groups) < 0) return -1;
    if (syscall(SYS_setresgid, group, group, 0) < 0) return -1;
    return (int)syscall(SYS_setresuid, user, user, 0);
}

/// Makes the calling thread root's again, with root's groups.
static inline int waymark_test_return(const gid_t *groups, size_t count) {
    if (syscall(SYS_setresuid, 0, 0, 0) < 0) return -1;
    if (syscall(SYS_setresgid, 0, 0, 0) < 0) return -1;
    return (int)syscall(SYS_setgroups, count, groups);
}

/// Makes a capability of the calling thread ambient, so that its programs inherit it, capabilities(7), or no longer.
static inline int waymark_test_set_inheritable(int capability, int on) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &header, data) < 0) return -1;
    if (on) data[0].inheritable |= 1u << capability;
    else data[0].inheritable &= ~(1u << capability);
    return (int)syscall(SYS_capset, &header, data);
}
static inline int waymark_test_raise_ambient(int capability) {
    if (waymark_test_set_inheritable(capability, 1) < 0) return -1;
    return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0);
}
static inline int waymark_test_lower_ambient(int capability) {
    return waymark_test_set_inheritable(capability, 0);
}

/// The actions of a test's peer. Strings are NULL where a step is left out.
struct waymark_test_peer {
    const char *socket;       // connect to it
    const char *cgroup_procs; // first, enter this control group
    const char *then_exec;    // after connecting, become this program with the argument 1000
    const char *later_exec;   // executed on request; control is 0 and 1
    char *const *later_arguments; // the arguments of later_exec, its name first; NULL for its name and the socket
    uid_t user;
    int control;              // its end of a socket pair: writes r once connected; the process ends with it
    int passes_socket;        // and sends the connection with the r, SCM_RIGHTS
    int lives_seconds;        // the maximum lifetime
};

/// Starts a process that connects to a Unix socket as described. Only system calls between fork and exec.
static inline pid_t waymark_test_start_peer(const struct waymark_test_peer *peer) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, peer->socket, sizeof address.sun_path - 1);
    pid_t pid = fork();
    if (pid != 0) return pid;
    alarm(peer->lives_seconds);
    // The test's other descriptors would stay open as long as this process lives, and a socket unclosed for its peer.
    int control = dup2(peer->control, 3);
    if (control < 0 || syscall(SYS_close_range, 4, ~0u, 0) < 0) _exit(1);
    if (peer->cgroup_procs) {
        int file = open(peer->cgroup_procs, O_WRONLY | O_CLOEXEC);
        if (file < 0 || write(file, "0", 1) != 1) _exit(2);
        close(file);
    }
    if (peer->user != 0) {
        if (syscall(SYS_setgroups, 0, NULL) < 0 || syscall(SYS_setresgid, peer->user, peer->user, peer->user) < 0
            || syscall(SYS_setresuid, peer->user, peer->user, peer->user) < 0)
            _exit(3);
    }
    int connection = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address) < 0) _exit(4);
    char ready = 'r';
    if (waymark_send_message(control, &ready, 1, &connection, peer->passes_socket ? 1 : 0, 0) != 1) _exit(5);
    if (peer->then_exec) {
        fcntl(control, F_SETFD, FD_CLOEXEC);
        execl(peer->then_exec, peer->then_exec, "1000", (char *)NULL);
        _exit(6);
    }
    if (read(control, &ready, 1) != 1 || !peer->later_exec) _exit(0);
    if (dup2(control, 0) < 0 || dup2(control, 1) < 0) _exit(7);
    if (peer->later_arguments) execv(peer->later_exec, peer->later_arguments);
    else execl(peer->later_exec, peer->later_exec, peer->socket, (char *)NULL);
    _exit(6);
}

/// Changes the wall clock by a number of nanoseconds below a second; returns 0, or -1 and errno.
static inline int waymark_test_move_clock(long nanoseconds) {
    struct timex move = {.modes = ADJ_SETOFFSET | ADJ_NANO, .time = {.tv_sec = 0, .tv_usec = nanoseconds}};
    return clock_adjtime(CLOCK_REALTIME, &move) < 0 ? -1 : 0;
}

/// Gives the calling thread a private mount namespace in which a folder is empty; returns 0, or -1 and errno.
/// The thread has to end with the test.
static inline int waymark_test_hide_folder(const char *path) {
    if (syscall(SYS_unshare, 0x200 | 0x20000) < 0) return -1;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) return -1;
    return mount("tmpfs", path, "tmpfs", 0, NULL);
}

/// Moves the calling thread into a network namespace, setns(2) with CLONE_NEWNET; returns 0, or -1 and errno.
static inline int waymark_test_enter_network(int namespace_) {
    return (int)syscall(SYS_setns, namespace_, 0x40000000);
}

/// Sends a datagram to the port `discard` of an address, from the calling thread's network; 0, or -1 and errno.
static inline int waymark_test_knock(const char *address) {
    struct sockaddr_in ipv4 = {.sin_family = AF_INET, .sin_port = htons(9)};
    struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6, .sin6_port = htons(9)};
    int is_ipv4 = inet_pton(AF_INET, address, &ipv4.sin_addr) == 1;
    if (!is_ipv4 && inet_pton(AF_INET6, address, &ipv6.sin6_addr) != 1) return -1;
    int socket_ = socket(is_ipv4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0) return -1;
    const struct sockaddr *to = is_ipv4 ? (struct sockaddr *)&ipv4 : (struct sockaddr *)&ipv6;
    ssize_t sent = sendto(socket_, "?", 1, 0, to, is_ipv4 ? sizeof ipv4 : sizeof ipv6);
    close(socket_);
    return sent == 1 ? 0 : -1;
}
#endif
