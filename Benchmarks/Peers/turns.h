// Requests the scheduling latency of waymarkd from the kernel, sched_setattr(2): time slices of a tenth of a
// millisecond.
#ifndef WAYMARK_TURNS_H
#define WAYMARK_TURNS_H
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline void short_turns(void) {
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } scheduling = {.size = sizeof scheduling, .runtime = 100000};
    if (syscall(SYS_sched_setattr, 0, &scheduling, 0) < 0) perror("sched_setattr");
}
#endif
