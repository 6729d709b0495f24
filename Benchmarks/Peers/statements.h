// The statements that a hub has run in PostgreSQL, with their parameters and in their transactions, to be run again with libpq.
//
// The file has 32-bit numbers in the order of this machine's bytes, and texts that end with a null byte:
//
//     the number of texts, and for each its length and the text
//     the number of executions, and for each: the number of its text, whether the program waits after it (1: it does, because a
//     transaction ends; 2: only a program that has to know what it has read), how many requests the transaction stores
//     to which it belongs, the number of parameters, and for each parameter its length and the text, or -1 for NULL
#ifndef STATEMENTS_H
#define STATEMENTS_H
#include <libpq-fe.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMETERS = 16 };
enum { WAITS_FOR_COMMIT = 1, WAITS_FOR_READS = 2 };

struct statements {
    PGconn *connection;
    const char *at;
    int32_t left;
};

struct execution {
    char name[16];
    int32_t waits, requests, parameters;
    const char *values[MOST_PARAMETERS];
};

static inline void fail(PGconn *connection, const char *what) {
    fprintf(stderr, "%s: %s\n", what, PQerrorMessage(connection));
    exit(1);
}

static inline void check(PGconn *connection, PGresult *result, const char *what) {
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_PIPELINE_SYNC) fail(connection, what);
    PQclear(result);
}

static inline int32_t next_number(struct statements *statements) {
    int32_t value;
    memcpy(&value, statements->at, sizeof value);
    statements->at += sizeof value;
    return value;
}

static inline const char *next_text(struct statements *statements, int32_t length) {
    const char *start = statements->at;
    statements->at += length + 1;
    return start;
}

// Connects to the database of this address, reads the file, and compiles each statement.
static inline struct statements prepare_statements(const char *address, const char *path) {
    struct statements statements = {PQconnectdb(address), NULL, 0};
    PGconn *connection = statements.connection;
    if (PQstatus(connection) != CONNECTION_OK) fail(connection, "connect");
    check(connection, PQexec(connection, "SET search_path = waymark; SET enable_seqscan = off; SET jit = off"),
          "prepare the connection");
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) exit(1);
    long size = ftell(file);
    rewind(file);
    char *content = malloc(size);
    if (!content || fread(content, 1, size, file) != (size_t)size) exit(1);
    fclose(file);
    statements.at = content;
    char name[16];
    int32_t texts = next_number(&statements);
    for (int32_t which = 0; which < texts; which++) {
        snprintf(name, sizeof name, "s%d", which);
        check(connection, PQprepare(connection, name, next_text(&statements, next_number(&statements)), 0, NULL), "prepare");
    }
    statements.left = next_number(&statements);
    return statements;
}

// Reads the next execution; returns 0 after the last one.
static inline int next_execution(struct statements *statements, struct execution *execution) {
    if (statements->left-- <= 0) return 0;
    snprintf(execution->name, sizeof execution->name, "s%d", next_number(statements));
    execution->waits = next_number(statements);
    execution->requests = next_number(statements);
    execution->parameters = next_number(statements);
    if (execution->parameters > MOST_PARAMETERS) exit(1);
    for (int32_t which = 0; which < execution->parameters; which++) {
        int32_t length = next_number(statements);
        execution->values[which] = length < 0 ? NULL : next_text(statements, length);
    }
    return 1;
}

static inline void begin_pipeline(PGconn *connection) {
    if (PQsetnonblocking(connection, 1) != 0 || !PQenterPipelineMode(connection)) fail(connection, "pipeline");
}

static inline void send_execution(PGconn *connection, const struct execution *execution) {
    if (!PQsendQueryPrepared(connection, execution->name, execution->parameters, execution->values, NULL, NULL, 1))
        fail(connection, "send");
}

// Reads what has arrived, so that the server can go on sending; returns how many synchronizations were among it.
static inline int receive_results(PGconn *connection) {
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
#endif
