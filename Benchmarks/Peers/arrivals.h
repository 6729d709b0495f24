// When a peer was told: kept in memory while it is measured, printed when it is asked to end.
#ifndef WAYMARK_ARRIVALS_H
#define WAYMARK_ARRIVALS_H
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static uint64_t arrivals[1 << 20];
static unsigned arrival_count, arrivals_dropped;

/// Notes the moment, in nanoseconds of CLOCK_MONOTONIC. What comes when the table is full is dropped and counted.
static inline void arrived(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (arrival_count < sizeof arrivals / sizeof arrivals[0])
        arrivals[arrival_count++] = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    else
        arrivals_dropped++;
}

/// Tells the benchmark that everything from now on is heard.
static inline void say_ready(void) {
    puts("ready");
    fflush(stdout);
}

/// Prints one moment a line.
static inline int print_arrivals(void) {
    for (unsigned index = 0; index < arrival_count; index++) printf("%" PRIu64 "\n", arrivals[index]);
    return fflush(stdout) == 0 && arrivals_dropped == 0 ? 0 : 1;
}
#endif
