// Runs recorded statements with libpq, as a hub has run them: the same texts and parameters, in the same transactions.
//
// libpq-replay ADDRESS FILE [pipelined|reading]: prints the nanoseconds that everything took. By default each statement waits for
// the result of the one before; with `pipelined` the statements of a transaction are sent without waiting, as a program could that
// needed no result; with `reading` it waits once more in a transaction, for what it has read, as a program has to that decides by
// that what it writes. The format of the file is in statements.h.
#include "statements.h"
#include <poll.h>
#include <time.h>

// Sends what is buffered, and waits until this many synchronizations have arrived.
static void wait_for(PGconn *connection, int synchronizations) {
    for (;;) {
        int is_unsent = PQflush(connection);
        if (is_unsent < 0) fail(connection, "send");
        synchronizations -= receive_results(connection);
        if (synchronizations <= 0 && !is_unsent) return;
        struct pollfd socket = {PQsocket(connection), POLLIN | (is_unsent ? POLLOUT : 0), 0};
        poll(&socket, 1, -1);
    }
}

int main(int count, char **arguments) {
    if (count != 3 && count != 4) return 2;
    int is_pipelined = count == 4, is_reading = is_pipelined && !strcmp(arguments[3], "reading");
    struct statements statements = prepare_statements(arguments[1], arguments[2]);
    PGconn *connection = statements.connection;
    if (is_pipelined) begin_pipeline(connection);

    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    struct execution execution;
    while (next_execution(&statements, &execution)) {
        if (!is_pipelined) {
            check(connection,
                  PQexecPrepared(connection, execution.name, execution.parameters, execution.values, NULL, NULL, 1), "execute");
            continue;
        }
        send_execution(connection, &execution);
        if (execution.waits == WAITS_FOR_COMMIT || (execution.waits == WAITS_FOR_READS && is_reading)) {
            if (!PQpipelineSync(connection)) fail(connection, "synchronize");
            wait_for(connection, 1);
        } else if (statements.left % 16 == 0) {
            wait_for(connection, 0);
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%lld\n", (end.tv_sec - start.tv_sec) * 1000000000LL + end.tv_nsec - start.tv_nsec);
    PQfinish(connection);
    return 0;
}
