// No feature macro is set here: the headers must read as they do in the Glibc module.
// What Swift's Glibc module leaves out: event descriptors, pidfds, peer credentials, pseudo-terminals.
#ifndef WAYMARK_CLINUX_H
#define WAYMARK_CLINUX_H
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/// struct ucred of SO_PEERCRED, socket(7): the Glibc module does not import it.
struct waymark_peer_credentials {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
};

static inline int waymark_peer_credentials(int socket, struct waymark_peer_credentials *out) {
    struct { pid_t pid; uid_t uid; gid_t gid; } credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0) return -1;
    out->pid = credentials.pid;
    out->uid = credentials.uid;
    out->gid = credentials.gid;
    return 0;
}

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/// A pidfd of the peer (Linux 6.5), or -1 with errno.
static inline int waymark_peer_pidfd(int socket) {
    int descriptor = -1;
    socklen_t length = sizeof descriptor;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &descriptor, &length) < 0) return -1;
    return descriptor;
}

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

/// accept4(2), which the headers show only to _GNU_SOURCE.
int accept4(int socket, struct sockaddr *restrict address, socklen_t *restrict length, int flags);
static inline int waymark_accept(int socket, int flags) { return accept4(socket, NULL, NULL, flags); }

/// pidfd_open(2).
static inline int waymark_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

/// pidfd_send_signal(2).
static inline int waymark_pidfd_send_signal(int pidfd, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

/// The system's words for an error number, strerror_r(3) in its XSI form.
int __xpg_strerror_r(int code, char *buffer, size_t size);
static inline void waymark_error_text(int code, char *buffer, size_t size) {
    buffer[0] = 0;
    __xpg_strerror_r(code, buffer, size);
}

#ifndef TFD_TIMER_CANCEL_ON_SET
#define TFD_TIMER_CANCEL_ON_SET (1 << 1)
#endif

/// A timer of CLOCK_REALTIME for noticing that the clock was set, timerfd_create(2).
static inline int waymark_clock_change_timer(void) {
    return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

/// Arms that timer for a moment that never comes, to be cancelled by the kernel when the clock is set.
static inline int waymark_arm_clock_change_timer(int descriptor) {
    struct itimerspec never = {.it_value = {.tv_sec = (time_t)0x7fffffff00}};
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

/// Names the calling thread, at most 15 bytes, PR_SET_NAME of prctl(2).
static inline void waymark_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/// gettid(2).
static inline pid_t waymark_thread_id(void) { return (pid_t)syscall(SYS_gettid); }

/// TIOCGWINSZ: the width and height of a terminal in characters, 0 on success.
static inline int waymark_terminal_size(int descriptor, uint16_t *columns, uint16_t *rows) {
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) < 0) return -1;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return 0;
}
#endif
