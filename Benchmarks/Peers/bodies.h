// The data that a peer sends: a file with a body on each line, read before the measurement, repeated as often as
// needed.
#ifndef BODIES_H
#define BODIES_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct body {
    char *bytes;
    size_t count;
};

struct bodies {
    struct body *all;
    size_t count;
};

static inline struct bodies read_bodies(const char *path) {
    struct bodies bodies = {NULL, 0};
    size_t room = 0;
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t length = 0;
    ssize_t read;
    while (file && (read = getline(&line, &length, file)) > 0) {
        if (line[read - 1] == '\n') read--;
        if (bodies.count == room) bodies.all = realloc(bodies.all, (room = room ? 2 * room : 64) * sizeof *bodies.all);
        char *bytes = malloc(read + 1);
        if (!bodies.all || !bytes) abort();
        memcpy(bytes, line, read);
        bodies.all[bodies.count++] = (struct body){bytes, (size_t)read};
    }
    if (!bodies.count) {
        fprintf(stderr, "%s has no bodies\n", path);
        exit(2);
    }
    free(line);
    fclose(file);
    return bodies;
}

static inline double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

/// The cost of a run, for the program that started it: seconds, and processor time in seconds.
static inline void print_run(double began, clock_t processor) {
    printf("%.6f %.6f\n", seconds_now() - began, (double)(clock() - processor) / CLOCKS_PER_SEC);
}
#endif
