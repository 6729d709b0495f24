// Linux interfaces that Swift's Glibc module does not import: event descriptors, pidfds, peer credentials,
// pseudo-terminals. This header sets no feature macro such as _GNU_SOURCE: the system headers must declare the same as
// in the Glibc module. Functions and constants that need such a macro are declared here by hand.
#ifndef WAYMARK_CLINUX_H
#define WAYMARK_CLINUX_H
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <malloc.h>
#include <linux/capability.h>
#include <linux/stat.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
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

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

#ifndef SO_PEERSEC
#define SO_PEERSEC 31
#endif

/// PIDFD_GET_INFO of linux/pidfd.h (Linux 6.13), which the headers of Debian 12 lack, in its first size: 64 bytes.
struct waymark_pidfd_info {
    uint64_t mask;
    uint64_t cgroup;
    uint32_t pid, thread_group, parent;
    uint32_t real_user, real_group, effective_user, effective_group;
    uint32_t saved_user, saved_group, file_user, file_group;
    int32_t exit_code;
};

/// The number of a process's control group in the hierarchy of version 2, or 0 where the kernel does not report it.
static inline uint64_t waymark_pidfd_cgroup(int pidfd) {
    struct waymark_pidfd_info info = {.mask = 1 << 2};
    if (ioctl(pidfd, _IOWR(0xFF, 11, struct waymark_pidfd_info), &info) < 0) return 0;
    return info.mask & (1 << 2) ? info.cgroup : 0;
}

/// Opens a control group by its number with O_PATH, open_by_handle_at(2), or -1 with errno. It needs
/// CAP_DAC_READ_SEARCH.
static inline int waymark_open_cgroup(int hierarchy, uint64_t number) {
    // struct file_handle with a handle of 8 bytes of type FILEID_KERNFS.
    struct { unsigned int bytes; int type; unsigned char handle[8]; } name = {8, 0xFE, {0}};
    memcpy(name.handle, &number, sizeof number);
    return (int)syscall(SYS_open_by_handle_at, hierarchy, &name, O_CLOEXEC | 010000000);
}

/// Whether the hierarchy of control groups of version 2 is mounted at a path, statfs(2).
static inline int waymark_is_cgroup2(const char *path) {
    struct statfs status;
    return statfs(path, &status) == 0 && status.f_type == 0x63677270;
}

/// accept4(2), which the headers declare only with _GNU_SOURCE.
int accept4(int socket, struct sockaddr *restrict address, socklen_t *restrict length, int flags);
static inline int waymark_accept(int socket, int flags) { return accept4(socket, NULL, NULL, flags); }

/// pidfd_open(2).
static inline int waymark_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

/// pidfd_send_signal(2).
static inline int waymark_pidfd_send_signal(int pidfd, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

/// The system's description of an error number, strerror_r(3) in its XSI form.
int __xpg_strerror_r(int code, char *buffer, size_t size);
static inline void waymark_error_text(int code, char *buffer, size_t size) {
    buffer[0] = 0;
    __xpg_strerror_r(code, buffer, size);
}

#ifndef TFD_TIMER_CANCEL_ON_SET
#define TFD_TIMER_CANCEL_ON_SET (1 << 1)
#endif

/// A timer on CLOCK_REALTIME that reports when the clock is set, timerfd_create(2).
static inline int waymark_clock_change_timer(void) {
    return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

/// Arms that timer for a time in the far future. When the clock is set, the kernel cancels it, and a read fails with
/// ECANCELED.
static inline int waymark_arm_clock_change_timer(int descriptor) {
    struct itimerspec never = {.it_value = {.tv_sec = (time_t)0x7fffffff00}};
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

/// Clears the ambient capabilities of the calling thread, PR_CAP_AMBIENT_CLEAR_ALL of prctl(2): a program that it
/// starts inherits no capabilities, while the thread itself retains its own.
static inline int waymark_clear_ambient_capabilities(void) { return prctl(47, 4, 0, 0, 0); }

/// Drops every capability of the calling thread, capset(2), and prevents that it gains privileges by executing a
/// program, PR_SET_NO_NEW_PRIVS of prctl(2).
static inline int waymark_give_up_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};
    waymark_clear_ambient_capabilities();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -1;
    return (int)syscall(SYS_capset, &header, none);
}

// Constants of getaddrinfo(3) that netdb.h declares only with _GNU_SOURCE.
static const int waymark_ai_idn = 0x0040;
static const int waymark_eai_no_data = -5;
static const int waymark_eai_address_family = -9;

/// Overwrites the 128 KiB of the calling thread's stack below the caller, which no call is using, explicit_bzero(3).
__attribute__((noinline, unused)) static void waymark_erase_stack(void) {
    unsigned char unused[128 << 10];
    explicit_bzero(unused, sizeof unused);
}

/// Names the calling thread, at most 15 bytes, PR_SET_NAME of prctl(2).
static inline void waymark_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/// struct sched_attr in its first, smallest size, sched_setattr(2); glibc declares it only since 2.41.
struct waymark_scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

/// Reads the scheduling policy and parameters of the calling thread, sched_getattr(2): 0 on success.
static inline int waymark_get_scheduling(struct waymark_scheduling *scheduling) {
    memset(scheduling, 0, sizeof *scheduling);
    return (int)syscall(SYS_sched_getattr, 0, scheduling, sizeof *scheduling, 0);
}

/// Sets the scheduling policy and parameters of the calling thread, sched_setattr(2): 0 on success.
static inline int waymark_set_scheduling(struct waymark_scheduling *scheduling) {
    scheduling->size = sizeof *scheduling;
    return (int)syscall(SYS_sched_setattr, 0, scheduling, 0);
}

/// Whether the kernel considers the wall clock synchronised, adjtimex(2); -1 when the call is not permitted.
static inline int waymark_clock_is_synchronised(void) {
    struct timex state = {.modes = 0};
    int status = adjtimex(&state);
    return status < 0 ? -1 : status != TIME_ERROR && !(state.status & STA_UNSYNC);
}

/// TIOCGWINSZ: the width and height of a terminal in characters, 0 on success.
static inline int waymark_terminal_size(int descriptor, uint16_t *columns, uint16_t *rows) {
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) < 0) return -1;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return 0;
}

/// pipe2(2) with O_CLOEXEC.
int pipe2(int ends[2], int flags);
static inline int waymark_pipe_cloexec(int *ends) { return pipe2(ends, O_CLOEXEC); }

/// posix_spawn_file_actions_addclosefrom_np(3), glibc 2.34.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
static inline int waymark_spawn_close_from(posix_spawn_file_actions_t *actions, int from) {
    return posix_spawn_file_actions_addclosefrom_np(actions, from);
}

/// write(2) that fails with EPIPE on a pipe without a reader, without raising SIGPIPE.
static inline ssize_t waymark_write_quietly(int descriptor, const void *bytes, size_t count) {
    sigset_t pipe_only, before, pending;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    sigpending(&pending);
    int was_pending = sigismember(&pending, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    ssize_t written = write(descriptor, bytes, count);
    int code = errno;
    if (written < 0 && code == EPIPE && !was_pending) {
        struct timespec now = {0, 0};
        sigtimedwait(&pipe_only, NULL, &now);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return written;
}

/// Sends bytes as one message, with at most two descriptors, SCM_RIGHTS of unix(7). `flags` are flags of sendmsg(2);
/// MSG_NOSIGNAL is always added.
static inline ssize_t waymark_send_message(
    int socket, const void *bytes, size_t size, const int *descriptors, size_t count, int flags
) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = size};
    union { char room[CMSG_SPACE(2 * sizeof(int))]; struct cmsghdr alignment; } control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 2) count = 2;
    if (count > 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(header), descriptors, count * sizeof(int));
    }
    return sendmsg(socket, &message, flags | MSG_NOSIGNAL);
}

/// Receives one message and the descriptor that came with it, which is closed on exec; -1 with errno on failure. A
/// message longer than the buffer fails with EMSGSIZE. `descriptor` is -1 when none came.
static inline ssize_t waymark_receive_message(int socket, void *bytes, size_t count, int *descriptor) {
    char space[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec part = {bytes, count};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    *descriptor = -1;
    ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (received < 0) return -1;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
        memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
    if (!(message.msg_flags & MSG_TRUNC)) return received;
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
    errno = EMSGSIZE;
    return -1;
}

/// memfd_create(2): a file without a name, closed on exec.
static inline int waymark_memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 1u); }

/// FIONREAD: how many bytes can be read without waiting, or -1 with errno.
static inline int waymark_bytes_waiting(int descriptor) {
    int count = 0;
    return ioctl(descriptor, FIONREAD, &count) < 0 ? -1 : count;
}

/// openpty(3) with the slave raw and both ends closed on exec; the name's buffer holds at least 64 bytes.
static inline int waymark_open_pty(int *master, int *slave, char *name, size_t size) {
    struct termios raw;
    *master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (*master < 0) return -1;
    *slave = -1;
    if (grantpt(*master) == 0 && unlockpt(*master) == 0 && ptsname_r(*master, name, size) == 0
        && (*slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)) >= 0 && tcgetattr(*slave, &raw) == 0) {
        cfmakeraw(&raw);
        if (tcsetattr(*slave, TCSANOW, &raw) == 0) return 0;
    }
    int code = errno;
    if (*slave >= 0) close(*slave);
    close(*master);
    errno = code;
    return -1;
}

/// Marks the System V shared memory segment of this key for removal, shmctl(2), where there is one.
static inline void waymark_remove_shared_memory(int32_t key) {
    int segment = shmget((key_t)key, 0, 0);
    if (segment >= 0) shmctl(segment, IPC_RMID, NULL);
}

/// A signalfd(2) for SIGINT, SIGTERM and SIGHUP, or -1; the signals are blocked for the calling thread. SIGHUP is
/// omitted when it is ignored, as under nohup(1), because a signalfd reports a blocked signal even when it is ignored.
static inline int waymark_termination_descriptor(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    struct sigaction hangup;
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaddset(&signals, SIGHUP);
    if (sigprocmask(SIG_BLOCK, &signals, NULL) < 0) return -1;
    return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/// The next signal that a signalfd reports; 0 where there is none.
static inline int waymark_next_signal(int descriptor) {
    struct signalfd_siginfo signal;
    return read(descriptor, &signal, sizeof signal) == sizeof signal ? (int)signal.ssi_signo : 0;
}

/// Whether a file has an access control list, acl(5).
static inline int waymark_has_access_list(const char *path) {
    return lgetxattr(path, "system.posix_acl_access", NULL, 0) >= 0;
}

// A flag of open(2) that fcntl.h declares only with _GNU_SOURCE.
#ifndef O_TMPFILE
#define O_TMPFILE (020000000 | O_DIRECTORY)
#endif

/// Opens a new file without a name for reading and writing, on the file system of a directory, O_TMPFILE of open(2).
static inline int waymark_open_unnamed_file(const char *directory) {
    return open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

/// Releases the disk space of a part of a file without changing its length, FALLOC_FL_PUNCH_HOLE of fallocate(2).
static inline int waymark_punch_hole(int descriptor, int64_t offset, int64_t count) {
    return (int)syscall(SYS_fallocate, descriptor, 1 | 2, offset, count);
}

/// The creation time of a user's directory in microseconds since 1970, statx(2). 0 when the path is not a directory, is
/// a symbolic link, belongs to another user or is a mount point, and when the kernel or file system does not report one
/// of these.
static inline int64_t waymark_directory_birth(const char *path, uint32_t owner) {
    struct statx found;
    const unsigned wanted = STATX_TYPE | STATX_UID | STATX_BTIME;
    // AT_SYMLINK_NOFOLLOW and AT_NO_AUTOMOUNT.
    if (syscall(SYS_statx, AT_FDCWD, path, 0x100 | 0x800, wanted, &found) != 0) return 0;
    if ((found.stx_mask & wanted) != wanted || !S_ISDIR(found.stx_mode) || found.stx_uid != owner) return 0;
    // A kernel before Linux 5.8 does not report whether the directory is a mount point.
    if (!(found.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) || found.stx_attributes & STATX_ATTR_MOUNT_ROOT) return 0;
    if (found.stx_btime.tv_sec <= 0 || found.stx_btime.tv_sec > INT64_MAX / 1000000 - 1) return 0;
    return found.stx_btime.tv_sec * 1000000 + found.stx_btime.tv_nsec / 1000;
}

#endif
