// Runs recorded statements with libpq, as a hub has run them: the same texts and parameters, in the same transactions.
//
// libpq-replay CONNECTION FILE [pipelined|reading]: prints the nanoseconds that everything took. By default each statement waits for
// the result of the one before; with `pipelined` the statements of a transaction are sent without waiting, as a program could that
// needed no result; with `reading` it waits once more in a transaction, for what it has read, as a program has to that decides by
// that what it writes. The file has 32-bit numbers in the order of this machine's bytes, and texts that end with a null byte:
//
//     the number of texts, and for each its length and the text
//     the number of executions, and for each: the number of its text, whether the program waits after it (1: it does, 2: only
//     with `reading`), the number of parameters, and for each parameter its length and the text, or -1 for NULL
#include <libpq-fe.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_PARAMETERS = 16 };

static const char *at;

static int32_t number(void) {
    int32_t value;
    memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
}

static const char *text(int32_t length) {
    const char *start = at;
    at += length + 1;
    return start;
}

static void fail(PGconn *connection, const char *what) {
    fprintf(stderr, "libpq-replay: %s: %s\n", what, PQerrorMessage(connection));
    exit(1);
}

static void check(PGconn *connection, PGresult *result, const char *what) {
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_PIPELINE_SYNC) fail(connection, what);
    PQclear(result);
}

// Reads what has arrived, so that the server can go on sending; returns how many synchronizations were among it.
static int receive(PGconn *connection) {
    int synchronizations = 0, empty = 0;
    if (!PQconsumeInput(connection)) fail(connection, "receive");
    while (!PQisBusy(connection) && empty < 2) {
        PGresult *result = PQgetResult(connection);
        if (!result) {
            empty++;
            continue;
        }
        empty = 0;
        if (PQresultStatus(result) == PGRES_PIPELINE_SYNC) synchronizations++;
        check(connection, result, "execute");
    }
    return synchronizations;
}

// Sends what is buffered, and waits until this many synchronizations have arrived.
static void wait_for(PGconn *connection, int synchronizations) {
    for (;;) {
        int is_unsent = PQflush(connection);
        if (is_unsent < 0) fail(connection, "send");
        synchronizations -= receive(connection);
        if (synchronizations <= 0 && !is_unsent) return;
        struct pollfd socket = {PQsocket(connection), POLLIN | (is_unsent ? POLLOUT : 0), 0};
        poll(&socket, 1, -1);
    }
}

int main(int count, char **arguments) {
    if (count != 3 && count != 4) return 2;
    int is_pipelined = count == 4, is_reading = is_pipelined && !strcmp(arguments[3], "reading");
    PGconn *connection = PQconnectdb(arguments[1]);
    if (PQstatus(connection) != CONNECTION_OK) fail(connection, "connect");
    check(connection, PQexec(connection, "SET search_path = waymark; SET enable_seqscan = off; SET jit = off"),
          "prepare the connection");

    FILE *file = fopen(arguments[2], "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) return 1;
    long size = ftell(file);
    rewind(file);
    char *content = malloc(size);
    if (!content || fread(content, 1, size, file) != (size_t)size) return 1;
    fclose(file);
    at = content;

    char name[16];
    int32_t texts = number();
    for (int32_t which = 0; which < texts; which++) {
        snprintf(name, sizeof name, "s%d", which);
        check(connection, PQprepare(connection, name, text(number()), 0, NULL), "prepare");
    }
    if (is_pipelined && (PQsetnonblocking(connection, 1) != 0 || !PQenterPipelineMode(connection))) fail(connection, "pipeline");

    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    int32_t executions = number();
    for (int32_t execution = 0; execution < executions; execution++) {
        snprintf(name, sizeof name, "s%d", number());
        int32_t waits = number(), parameters = number();
        const char *values[MOST_PARAMETERS];
        if (parameters > MOST_PARAMETERS) return 1;
        for (int32_t which = 0; which < parameters; which++) {
            int32_t length = number();
            values[which] = length < 0 ? NULL : text(length);
        }
        if (!is_pipelined) {
            check(connection, PQexecPrepared(connection, name, parameters, values, NULL, NULL, 1), "execute");
            continue;
        }
        if (!PQsendQueryPrepared(connection, name, parameters, values, NULL, NULL, 1)) fail(connection, "send");
        if (waits == 1 || (waits == 2 && is_reading)) {
            if (!PQpipelineSync(connection)) fail(connection, "synchronize");
            wait_for(connection, 1);
        } else if (execution % 16 == 15) {
            wait_for(connection, 0);
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%lld\n", (end.tv_sec - start.tv_sec) * 1000000000LL + end.tv_nsec - start.tv_nsec);
    PQfinish(connection);
    return 0;
}
