// What only tests need of the kernel: another user's identity for the calling thread alone, and a port that is held.
#ifndef WAYMARK_CTEST_H
#define WAYMARK_CTEST_H
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "../../Sources/CLinux/shim.h"

/// Gives the calling thread a user, a group and supplementary groups, keeping root as the saved ones to come back to.
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

/// Makes a capability of the calling thread's one that its programs keep, capabilities(7), or no longer.
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

/// What a test's peer does. Strings are NULL where a step is left out.
struct waymark_test_peer {
    const char *socket;       // connect to it
    const char *cgroup_procs; // first, enter this control group
    const char *then_exec;    // after connecting, become this program with the argument 1000
    const char *later_exec;   // when told to, become this program with the socket as its argument; control is 0 and 1
    uid_t user;
    int control;              // its end of a socket pair: it says r when it is connected, and ends when that ends
    int passes_socket;        // and sends the connection with the r, SCM_RIGHTS
    int lives_seconds;        // at most, whatever happens
};

/// Starts a process that connects to a Unix socket as it is told. Only system calls between fork and exec.
static inline pid_t waymark_test_start_peer(const struct waymark_test_peer *peer) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, peer->socket, sizeof address.sun_path - 1);
    pid_t pid = fork();
    if (pid != 0) return pid;
    alarm(peer->lives_seconds);
    // What the tests have open would stay open as long as this process lives, and a socket unclosed for its peer.
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
    execl(peer->later_exec, peer->later_exec, peer->socket, (char *)NULL);
    _exit(6);
}

/// Moves the wall clock by so many nanoseconds, which must be fewer than a second; 0, or -1 and errno.
static inline int waymark_test_move_clock(long nanoseconds) {
    struct timex move = {.modes = ADJ_SETOFFSET | ADJ_NANO, .time = {.tv_sec = 0, .tv_usec = nanoseconds}};
    return clock_adjtime(CLOCK_REALTIME, &move) < 0 ? -1 : 0;
}

/// Gives the calling thread a view of the files of its own, in which a folder is new and empty; 0, or -1 and errno.
/// The thread has to end with the test.
static inline int waymark_test_hide_folder(const char *path) {
    if (syscall(SYS_unshare, 0x200 | 0x20000) < 0) return -1;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) return -1;
    return mount("tmpfs", path, "tmpfs", 0, NULL);
}

/// Has the calling thread belong to a network namespace, setns(2) with CLONE_NEWNET; 0, or -1 and errno.
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

/// Binds a socket that never listens to a TCP port of 127.0.0.1 that nobody has; the socket, or -1 and errno.
static inline int waymark_test_hold_port(uint16_t *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int yes = 1;
    int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0) return -1;
    if (setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(socket_, (struct sockaddr *)&address, length) != 0 ||
        getsockname(socket_, (struct sockaddr *)&address, &length) != 0) {
        int reason = errno;
        close(socket_);
        errno = reason;
        return -1;
    }
    *port = ntohs(address.sin_port);
    return socket_;
}
#endif
