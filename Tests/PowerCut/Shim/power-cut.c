// Logs a process's changes of the files below a folder, so that afterwards only the synchronized writes need be left:
// LD_PRELOAD, ld.so(8). Every call is executed, except fsync(2) and fdatasync(2), which only wait for a while. The
// content of the disk is computed from the log (SimulatedDisk.swift), which is complete up to a record that a kill cut
// off: a record is written after its operation, and before the caller gets the result.
//
//   WAYMARK_CUT_FOLDER            the folder, absolute and without links
//   WAYMARK_CUT_LOG               the path of the log; outside of the folder
//   WAYMARK_CUT_SYNC_MICROSECONDS how long a synchronization takes (default 500)
//   WAYMARK_CUT_FAULT_AT          the number, from 1 on, of the operation on the folder that is not done
//   WAYMARK_CUT_FAULT             its error number; 0, or nothing, for SIGKILL to the process instead
//   WAYMARK_CUT_STEPS             a file of three numbers of 64 bits that a test shares with the process: whether steps are
//                                 counted at present, the step that is not done because SIGKILL ends the process before
//                                 it, and the steps so far. A step is one operation that changes what is on the disk
//
// A record is seven numbers of 64 bits, then its bytes:
//   kind, file (inode number), offset or size, token, length of the first text or data, length of the second,
// 0x57415943 Operations that neither SQLite nor Waymark uses for durable files are not supported, and recorded as such:
// writing through a mapping (except for SQLite's index of the write-ahead log, which is built again), copying by the
// kernel, links.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind {
    CREATED = 1, MADE_DIRECTORY, WRITTEN, TRUNCATED, SYNC_BEGUN, SYNC_DONE, DIRECTORY_SYNC_BEGUN, DIRECTORY_SYNC_DONE,
    RENAMED, REMOVED, UNSUPPORTED, STEP
};

enum { MOST_DESCRIPTORS = 65536 };

/// The target of an open descriptor, if it is below the folder.
struct tracked {
    ino_t file;
    char *directory; // its path, where it is a directory
    char is_used, is_index;
};

static struct tracked tracked[MOST_DESCRIPTORS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[4096], parent[4096];
static size_t folder_length;
static int log_descriptor = -1;
static unsigned long sync_microseconds = 500;
static uint64_t next_token = 1;
static unsigned long fault_at, operations;
static int fault;

/// The steps that a test counts.
struct steps {
    uint64_t are_counted, last, count;
};
static struct steps *steps;

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("WAYMARK_CUT_FOLDER"), *log = getenv("WAYMARK_CUT_LOG");
    const char *time = getenv("WAYMARK_CUT_SYNC_MICROSECONDS");
    if (!path || !log || strlen(path) >= sizeof folder) return;
    strcpy(folder, path);
    strcpy(parent, path);
    folder_length = strlen(folder);
    char *slash = strrchr(parent, '/');
    if (slash) *slash = 0;
    const char *number = getenv("WAYMARK_CUT_FAULT_AT"), *error = getenv("WAYMARK_CUT_FAULT");
    if (time) sync_microseconds = strtoul(time, NULL, 10);
    if (number) fault_at = strtoul(number, NULL, 10);
    if (error) fault = atoi(error);
    const char *shared = getenv("WAYMARK_CUT_STEPS");
    if (shared) {
        int file = (int)syscall(SYS_openat, AT_FDCWD, shared, O_RDWR | O_CLOEXEC);
        void *page = MAP_FAILED;
        // syscall(2) passes the offset in 64 bits, so that it may be no `int`.
        if (file >= 0)
            page = (void *)syscall(SYS_mmap, NULL, sizeof *steps, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)0);
        if (file >= 0) syscall(SYS_close, file);
        if (page != MAP_FAILED) steps = page;
    }
    int opened = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (opened < 0) return;
    // Above the numbers that a program might rely on.
    log_descriptor = (int)syscall(SYS_fcntl, opened, F_DUPFD_CLOEXEC, 900);
    if (log_descriptor < 0) log_descriptor = opened; else syscall(SYS_close, opened);
}

static int is_on(void) { return log_descriptor >= 0; }

/// Whether the operation that begins is the one that is not done; sets errno.
static int is_faulty(void) {
    if (!fault_at || __atomic_add_fetch(&operations, 1, __ATOMIC_SEQ_CST) != fault_at) return 0;
    if (!fault) raise(SIGKILL);
    errno = fault;
    return 1;
}

/// Adds a record. With the lock held.
static void report(enum kind kind, uint64_t file, uint64_t offset, uint64_t token, const void *first, size_t first_length,
                 const void *second, size_t second_length) {
    int error = errno;
    uint64_t head[7] = {kind, file, offset, token, first_length, second_length, 0x57415943};
    struct iovec parts[3] = {
        {head, sizeof head}, {(void *)first, first_length}, {(void *)second, second_length}};
    syscall(SYS_writev, log_descriptor, parts, 3);
    errno = error;
}

static void report_path(enum kind kind, uint64_t file, const char *path) {
    report(kind, file, 0, 0, path, strlen(path), NULL, 0);
}

static int ends_with(const char *text, const char *end) {
    size_t length = strlen(text), least = strlen(end);
    return length >= least && !strcmp(text + length - least, end);
}

/// Counts the step that begins, on a file of this path or descriptor, and ends the process before the one that is not to be
/// done. With the lock held, so that the record of a step is followed by that of its operation.
static void step(const char *verb, const char *path, int descriptor) {
    if (!steps || !__atomic_load_n(&steps->are_counted, __ATOMIC_SEQ_CST)) return;
    char link[64], name[4096] = "", text[4160];
    if (!path) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, name, sizeof name - 1);
        name[length > 0 ? length : 0] = 0;
        path = name;
    }
    // SQLite's index of the write-ahead log is built again.
    if (ends_with(path, "-shm")) return;
    int is_below = !strncmp(path, folder, folder_length) && path[folder_length] == '/';
    int length = snprintf(text, sizeof text, "%s %s", verb, is_below ? path + folder_length + 1 : ".");
    uint64_t number = __atomic_add_fetch(&steps->count, 1, __ATOMIC_SEQ_CST);
    report(STEP, 0, 0, number, text, (size_t)length, NULL, 0);
    if (number == __atomic_load_n(&steps->last, __ATOMIC_SEQ_CST)) raise(SIGKILL);
}

/// A path as the folder's is written, in `into`; 0 where it leads to nothing below the folder. Such of the folder's
/// parent counts where `or_parent` is set: that is where the folder's own entry is.
static int place(int directory, const char *path, char *into, int or_parent) {
    if (!is_on() || !path) return 0;
    int length;
    if (path[0] == '/') {
        length = snprintf(into, 4096, "%s", path);
    } else {
        char base[4096];
        if (directory == AT_FDCWD) {
            if (syscall(SYS_getcwd, base, sizeof base) < 0) return 0;
        } else {
            char link[64];
            snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
            ssize_t count = syscall(SYS_readlinkat, AT_FDCWD, link, base, sizeof base - 1);
            if (count < 0) return 0;
            base[count] = 0;
        }
        length = snprintf(into, 4096, "%s/%s", base, path);
    }
    if (length < 0 || length >= 4096) return 0;
    while (length > 1 && into[length - 1] == '/') into[--length] = 0;
    if (length > 2 && !strcmp(into + length - 2, "/.")) into[length -= 2] = 0;
    if (length > 3 && !strcmp(into + length - 3, "/..")) {
        into[length -= 3] = 0;
        char *slash = strrchr(into, '/');
        if (slash && slash > into) *slash = 0;
    }
    if (or_parent && !strcmp(into, parent)) return 1;
    return !strncmp(into, folder, folder_length) && (into[folder_length] == 0 || into[folder_length] == '/');
}

/// The target of a descriptor; NULL where that is not in the folder. With the lock held.
static struct tracked *file_of(int descriptor) {
    if (!is_on() || descriptor < 0 || descriptor >= MOST_DESCRIPTORS || !tracked[descriptor].is_used) return NULL;
    struct stat status;
    // It may have been closed without a call of the library, and its number used again.
    if (fstat(descriptor, &status) < 0 || status.st_ino != tracked[descriptor].file) {
        tracked[descriptor].is_used = 0;
        return NULL;
    }
    return &tracked[descriptor];
}

/// The same for files with durable data.
static struct tracked *data_of(int descriptor) {
    struct tracked *file = file_of(descriptor);
    return file && !file->directory && !file->is_index ? file : NULL;
}

static void forget(int descriptor) {
    if (descriptor < 0 || descriptor >= MOST_DESCRIPTORS || !tracked[descriptor].is_used) return;
    free(tracked[descriptor].directory);
    memset(&tracked[descriptor], 0, sizeof tracked[descriptor]);
}

static void copy(int from, int to) {
    if (to < 0 || to >= MOST_DESCRIPTORS) return;
    forget(to);
    struct tracked *file = file_of(from);
    if (!file) return;
    tracked[to] = *file;
    if (file->directory) tracked[to].directory = strdup(file->directory);
}

// Opening and closing

static int open_at(int directory, const char *path, int flags, mode_t mode) {
    char full[4096];
    if (!place(directory, path, full, 1)) {
        int descriptor = (int)syscall(SYS_openat, directory, path, flags, mode);
        if (descriptor >= 0 && is_on()) {
            pthread_mutex_lock(&lock);
            forget(descriptor);
            pthread_mutex_unlock(&lock);
        }
        return descriptor;
    }
    if (is_faulty()) return -1;
    pthread_mutex_lock(&lock);
    struct stat status;
    int existed = syscall(SYS_newfstatat, AT_FDCWD, full, &status, 0) == 0;
    int changes = existed ? (flags & O_TRUNC) && status.st_size > 0 : (flags & O_CREAT) != 0;
    if (changes) step(existed ? "empty" : "create", full, -1);
    int descriptor = (int)syscall(SYS_openat, directory, path, flags, mode);
    if (descriptor >= 0 && descriptor < MOST_DESCRIPTORS) {
        int error = errno;
        forget(descriptor);
        off_t old_size = existed ? status.st_size : 0;
        if (fstat(descriptor, &status) == 0) {
            struct tracked *file = &tracked[descriptor];
            file->is_used = 1;
            file->file = status.st_ino;
            file->is_index = (char)ends_with(full, "-shm");
            if (S_ISDIR(status.st_mode)) {
                file->directory = strdup(full);
            } else if (!existed) {
                report_path(CREATED, status.st_ino, full);
            } else if (flags & O_TRUNC && old_size > 0 && !file->is_index) {
                report(TRUNCATED, status.st_ino, 0, 0, NULL, 0, NULL, 0);
            }
            if ((flags & O_TMPFILE) == O_TMPFILE) report_path(UNSUPPORTED, 0, "O_TMPFILE");
        }
        errno = error;
    }
    pthread_mutex_unlock(&lock);
    return descriptor;
}

#define WITH_MODE(last) \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
        va_list list; \
        va_start(list, last); \
        mode = va_arg(list, mode_t); \
        va_end(list); \
    }

int open(const char *path, int flags, ...) { WITH_MODE(flags) return open_at(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { WITH_MODE(flags) return open_at(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { WITH_MODE(flags) return open_at(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { WITH_MODE(flags) return open_at(at, path, flags, mode); }
int __open_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
int __openat_2(int at, const char *path, int flags) { return open_at(at, path, flags, 0); }
int __openat64_2(int at, const char *path, int flags) { return open_at(at, path, flags, 0); }
int creat(const char *path, mode_t mode) { return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

int close(int descriptor) {
    if (is_on()) {
        pthread_mutex_lock(&lock);
        if (descriptor != log_descriptor) forget(descriptor);
        pthread_mutex_unlock(&lock);
        if (descriptor == log_descriptor) return 0;
    }
    return (int)syscall(SYS_close, descriptor);
}

static int copied(int from, long to) {
    if (is_on() && to >= 0) {
        pthread_mutex_lock(&lock);
        copy(from, (int)to);
        pthread_mutex_unlock(&lock);
    }
    return (int)to;
}

int dup(int from) { return copied(from, syscall(SYS_dup, from)); }
int dup3(int from, int to, int flags) { return copied(from, syscall(SYS_dup3, from, to, flags)); }
int dup2(int from, int to) {
    if (from == to) return syscall(SYS_fcntl, from, F_GETFD) < 0 ? -1 : to;
    return dup3(from, to, 0);
}

static int control(int descriptor, int command, void *argument) {
    long result = syscall(SYS_fcntl, descriptor, command, argument);
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? copied(descriptor, result) : (int)result;
}
#define WITH_ARGUMENT \
    va_list list; \
    va_start(list, command); \
    void *argument = va_arg(list, void *); \
    va_end(list);
int fcntl(int descriptor, int command, ...) { WITH_ARGUMENT return control(descriptor, command, argument); }
int fcntl64(int descriptor, int command, ...) { WITH_ARGUMENT return control(descriptor, command, argument); }

// Data

/// Writes at an offset, or at the descriptor's offset for -1.
static ssize_t write_at(int descriptor, const struct iovec *parts, int count, off_t offset) {
    int has_offset = offset >= 0;
    if (is_on()) pthread_mutex_lock(&lock);
    struct tracked *file = is_on() ? data_of(descriptor) : NULL;
    if (!file) {
        if (is_on()) pthread_mutex_unlock(&lock);
        return has_offset ? syscall(SYS_pwritev, descriptor, parts, count, offset, 0)
                          : syscall(SYS_writev, descriptor, parts, count);
    }
    if (is_faulty()) {
        pthread_mutex_unlock(&lock);
        return -1;
    }
    if (syscall(SYS_fcntl, descriptor, F_GETFL) & O_APPEND) {
        struct stat status;
        fstat(descriptor, &status);
        offset = status.st_size;
    } else if (!has_offset) {
        offset = syscall(SYS_lseek, descriptor, 0, SEEK_CUR);
    }
    step("write", NULL, descriptor);
    ssize_t written = has_offset ? syscall(SYS_pwritev, descriptor, parts, count, offset, 0)
                                 : syscall(SYS_writev, descriptor, parts, count);
    size_t left = written > 0 ? (size_t)written : 0;
    for (int part = 0; part < count && left > 0; part++) {
        size_t length = parts[part].iov_len < left ? parts[part].iov_len : left;
        if (length == 0) continue;
        report(WRITTEN, file->file, (uint64_t)offset, 0, parts[part].iov_base, length, NULL, 0);
        offset += (off_t)length;
        left -= length;
    }
    pthread_mutex_unlock(&lock);
    return written;
}

static ssize_t write_one(int descriptor, const void *bytes, size_t count, off_t offset) {
    struct iovec part = {(void *)bytes, count};
    return write_at(descriptor, &part, 1, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) { return write_one(descriptor, bytes, count, -1); }
ssize_t writev(int descriptor, const struct iovec *parts, int count) { return write_at(descriptor, parts, count, -1); }
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    if (offset < 0) { errno = EINVAL; return -1; }
    return write_one(descriptor, bytes, count, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
    return pwrite(descriptor, bytes, count, offset);
}
ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
    if (offset < 0) { errno = EINVAL; return -1; }
    return write_at(descriptor, parts, count, offset);
}
ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off_t offset) {
    return pwritev(descriptor, parts, count, offset);
}

int ftruncate(int descriptor, off_t size) {
    if (!is_on()) return (int)syscall(SYS_ftruncate, descriptor, size);
    pthread_mutex_lock(&lock);
    struct tracked *file = data_of(descriptor);
    if (file) step("truncate", NULL, descriptor);
    int result = (int)syscall(SYS_ftruncate, descriptor, size);
    if (file && result == 0) report(TRUNCATED, file->file, (uint64_t)size, 0, NULL, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    return result;
}
int ftruncate64(int descriptor, off_t size) { return ftruncate(descriptor, size); }

int truncate(const char *path, off_t size) {
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return -1;
    int result = ftruncate(descriptor, size), error = errno;
    close(descriptor);
    errno = error;
    return result;
}
int truncate64(const char *path, off_t size) { return truncate(path, size); }

int fallocate(int descriptor, int mode, off_t offset, off_t length) {
    if (!is_on()) return (int)syscall(SYS_fallocate, descriptor, mode, offset, length);
    pthread_mutex_lock(&lock);
    struct tracked *file = data_of(descriptor);
    struct stat before, after;
    fstat(descriptor, &before);
    if (file) step("allocate", NULL, descriptor);
    int result = (int)syscall(SYS_fallocate, descriptor, mode, offset, length);
    if (file && result == 0) {
        fstat(descriptor, &after);
        if (mode & ~1) report_path(UNSUPPORTED, file->file, "fallocate");
        if (after.st_size != before.st_size)
            report(TRUNCATED, file->file, (uint64_t)after.st_size, 0, NULL, 0, NULL, 0);
    }
    pthread_mutex_unlock(&lock);
    return result;
}
int fallocate64(int descriptor, int mode, off_t offset, off_t length) {
    return fallocate(descriptor, mode, offset, length);
}
int posix_fallocate(int descriptor, off_t offset, off_t length) {
    return fallocate(descriptor, 0, offset, length) < 0 ? errno : 0;
}
int posix_fallocate64(int descriptor, off_t offset, off_t length) {
    return posix_fallocate(descriptor, offset, length);
}

static void refuse(int descriptor, const char *what) {
    if (!is_on()) return;
    pthread_mutex_lock(&lock);
    struct tracked *file = data_of(descriptor);
    if (file) report_path(UNSUPPORTED, file->file, what);
    pthread_mutex_unlock(&lock);
}

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    if (flags & MAP_SHARED && protection & PROT_WRITE && descriptor >= 0) refuse(descriptor, "mmap");
    return (void *)syscall(SYS_mmap, address, length, protection, flags, descriptor, offset);
}
void *mmap64(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    return mmap(address, length, protection, flags, descriptor, offset);
}
ssize_t copy_file_range(int from, off_t *at, int to, off_t *offset, size_t count, unsigned flags) {
    refuse(to, "copy_file_range");
    return syscall(SYS_copy_file_range, from, at, to, offset, count, flags);
}
ssize_t sendfile(int to, int from, off_t *offset, size_t count) {
    refuse(to, "sendfile");
    return syscall(SYS_sendfile, to, from, offset, count);
}
ssize_t sendfile64(int to, int from, off_t *offset, size_t count) { return sendfile(to, from, offset, count); }

// Synchronizing: writes of other threads meanwhile are not part of it.

static int synchronize(int descriptor, long number) {
    if (!is_on()) return (int)syscall(number, descriptor);
    pthread_mutex_lock(&lock);
    struct tracked *found = file_of(descriptor);
    if (!found) {
        pthread_mutex_unlock(&lock);
        return (int)syscall(number, descriptor);
    }
    if (is_faulty()) {
        pthread_mutex_unlock(&lock);
        return -1;
    }
    struct tracked file = *found;
    char directory[4096] = "";
    if (file.directory) snprintf(directory, sizeof directory, "%s", file.directory);
    step("synchronize", found->directory, descriptor);
    uint64_t token = next_token++;
    report(file.directory ? DIRECTORY_SYNC_BEGUN : SYNC_BEGUN, file.file, 0, token, directory, strlen(directory), NULL, 0);
    pthread_mutex_unlock(&lock);
    usleep((useconds_t)sync_microseconds);
    pthread_mutex_lock(&lock);
    report(file.directory ? DIRECTORY_SYNC_DONE : SYNC_DONE, file.file, 0, token, directory, strlen(directory), NULL, 0);
    pthread_mutex_unlock(&lock);
    return 0;
}
int fsync(int descriptor) { return synchronize(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return synchronize(descriptor, SYS_fdatasync); }

// Names

static int rename_at(int old_at, const char *old, int new_at, const char *new, unsigned flags) {
    char from[4096], to[4096];
    int is_from = place(old_at, old, from, 0), is_to = place(new_at, new, to, 0);
    if (!is_from && !is_to) return (int)syscall(SYS_renameat2, old_at, old, new_at, new, flags);
    if (is_faulty()) return -1;
    pthread_mutex_lock(&lock);
    step("rename", is_to ? to : from, -1);
    int result = (int)syscall(SYS_renameat2, old_at, old, new_at, new, flags);
    if (result == 0) {
        if (is_from && is_to && !(flags & ~1u)) report(RENAMED, 0, 0, 0, from, strlen(from), to, strlen(to));
        else report_path(UNSUPPORTED, 0, "rename");
    }
    pthread_mutex_unlock(&lock);
    return result;
}
int rename(const char *old, const char *new) { return rename_at(AT_FDCWD, old, AT_FDCWD, new, 0); }
int renameat(int old_at, const char *old, int new_at, const char *new) { return rename_at(old_at, old, new_at, new, 0); }
int renameat2(int old_at, const char *old, int new_at, const char *new, unsigned flags) {
    return rename_at(old_at, old, new_at, new, flags);
}

int unlinkat(int at, const char *path, int flags) {
    char full[4096];
    if (!place(at, path, full, 0)) return (int)syscall(SYS_unlinkat, at, path, flags);
    if (is_faulty()) return -1;
    pthread_mutex_lock(&lock);
    step("remove", full, -1);
    int result = (int)syscall(SYS_unlinkat, at, path, flags);
    if (result == 0) report_path(REMOVED, 0, full);
    pthread_mutex_unlock(&lock);
    return result;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
    if (unlink(path) == 0) return 0;
    return errno == EISDIR || errno == EPERM ? rmdir(path) : -1;
}

int mkdirat(int at, const char *path, mode_t mode) {
    char full[4096];
    if (!place(at, path, full, 0)) return (int)syscall(SYS_mkdirat, at, path, mode);
    if (is_faulty()) return -1;
    pthread_mutex_lock(&lock);
    step("make", full, -1);
    int result = (int)syscall(SYS_mkdirat, at, path, mode);
    if (result == 0) report_path(MADE_DIRECTORY, 0, full);
    pthread_mutex_unlock(&lock);
    return result;
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int linkat(int old_at, const char *old, int new_at, const char *new, int flags) {
    char full[4096];
    if (place(new_at, new, full, 0)) {
        pthread_mutex_lock(&lock);
        report_path(UNSUPPORTED, 0, "link");
        pthread_mutex_unlock(&lock);
    }
    return (int)syscall(SYS_linkat, old_at, old, new_at, new, flags);
}
int link(const char *old, const char *new) { return linkat(AT_FDCWD, old, AT_FDCWD, new, 0); }
