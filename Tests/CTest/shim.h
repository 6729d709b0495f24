// What only tests need of the kernel: another user's identity for the calling thread alone.
#ifndef WAYMARK_CTEST_H
#define WAYMARK_CTEST_H
#include <grp.h>
#include <stddef.h>
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
#endif
