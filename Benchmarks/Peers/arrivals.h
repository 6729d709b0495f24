// The times of a peer's notifications: stored in memory during the measurement, printed at its end.
#ifndef WAYMARK_ARRIVALS_H
#define WAYMARK_ARRIVALS_H
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static uint64_t arrivals[1 << 20];
static unsigned arrival_count, arrivals_dropped;

/// Records the time, in nanoseconds of CLOCK_MONOTONIC. Further times are dropped and counted when the table is full.
static inline void arrived(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (arrival_count < sizeof arrivals / sizeof arrivals[0])
        arrivals[arrival_count++] = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    else
        arrivals_dropped++;
}

/// Reports to the benchmark that the peer is listening from now on.
static inline void say_ready(void) {
    puts("ready");
    fflush(stdout);
}

/// Prints one time a line.
static inline int print_arrivals(void) {
    for (unsigned index = 0; index < arrival_count; index++) printf("%" PRIu64 "\n", arrivals[index]);
    return fflush(stdout) == 0 && arrivals_dropped == 0 ? 0 : 1;
}
#endif
