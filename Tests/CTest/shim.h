// What only tests need of the kernel: another user's identity for the calling thread alone, and a free port.
#ifndef WAYMARK_CTEST_H
#define WAYMARK_CTEST_H
#include <arpa/inet.h>
#include <grp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

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

/// Chooses a TCP port of 127.0.0.1 that nobody listens at; 0, or -1 and errno. Another process may take it first.
static inline int waymark_test_free_port(uint16_t *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0) return -1;
    int status = bind(socket_, (struct sockaddr *)&address, length);
    if (status == 0) status = getsockname(socket_, (struct sockaddr *)&address, &length);
    close(socket_);
    *port = ntohs(address.sin_port);
    return status;
}
#endif
