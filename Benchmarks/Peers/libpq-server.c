// Answers the requests of the clients of a hub, and for that runs recorded statements with libpq, as a hub has run them: what a
// server costs that neither understands its requests nor decides anything.
//
// libpq-server ADDRESS FILE PORT CLIENTS REQUESTS: waits on loopback for this many clients, each of which sends this many requests,
// one after the other. A transaction begins when as many requests have arrived as the recorded one has stored, and their
// clients get an answer of status 200 when it is committed. The statements of a transaction are sent without waiting, except once
// for what was read, because what a server writes depends on that. The next requests are read while PostgreSQL works. It ends
// after the last answer. The format of the file is in statements.h.
#define _GNU_SOURCE
#include "statements.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

// The bytes of a request are not looked at beyond its length, so that one part of it after the other overwrites the buffer.
struct client {
    int socket;
    size_t received, size;
    int32_t answers;
    char head[2048];
};

static struct client *clients;
static int32_t client_count, most_requests;
// The clients whose requests have arrived, in the order of their arrival; one client has at most one.
static int32_t *arrived, first_arrived, arrived_count;
static int events, listener;

static const char body[] = "{\"saved\":[{\"name\":\"w00-0000-0\",\"revision\":\"1\",\"created\":{\"time\":1795000000000000,"
                           "\"account\":\"alice\",\"device\":\"d00\"},\"modified\":{\"time\":1795000000000000,"
                           "\"account\":\"alice\",\"device\":\"d00\"}}],\"failed\":[]}";
static char answer[512];
static int answer_size;

static void give_up(const char *what) {
    perror(what);
    exit(1);
}

// Finds the end of a request's head, and the length of its body.
static size_t request_size(const char *head, size_t count) {
    const char *end = memmem(head, count, "\r\n\r\n", 4);
    if (!end) return 0;
    const char *length = memmem(head, end - head, "Content-Length: ", 16);
    return (end - head) + 4 + (length ? strtoul(length + 16, NULL, 10) : 0);
}

// Reads what a client has sent.
static void read_client(int32_t which) {
    struct client *client = &clients[which];
    char rest[65536];
    int is_head = !client->size;
    char *buffer = is_head ? client->head + client->received : rest;
    size_t room = is_head ? sizeof client->head - client->received : sizeof rest;
    ssize_t count = recv(client->socket, buffer, room, 0);
    if (count < 0) give_up("receive");
    if (count == 0) {
        epoll_ctl(events, EPOLL_CTL_DEL, client->socket, NULL);
        return;
    }
    client->received += count;
    if (is_head) client->size = request_size(client->head, client->received);
    if (!client->size) {
        if (client->received == sizeof client->head) exit(1);
        return;
    }
    if (client->received < client->size) return;
    client->received = client->size = 0;
    arrived[(first_arrived + arrived_count++) % client_count] = which;
}

static void accept_client(void) {
    int socket = accept(listener, NULL, NULL);
    if (socket < 0) give_up("accept");
    int yes = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    static int32_t next;
    if (next == client_count) exit(1);
    clients[next].socket = socket;
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = next++};
    if (epoll_ctl(events, EPOLL_CTL_ADD, socket, &event) != 0) give_up("watch a client");
}

enum { LISTENER = -1, DATABASE = -2 };

// Waits for clients and the database, and reads what has arrived of requests.
static void wait_for_events(void) {
    struct epoll_event ready[64];
    int count = epoll_wait(events, ready, 64, -1);
    if (count < 0 && errno != EINTR) give_up("wait");
    for (int which = 0; which < count; which++) {
        int32_t source = (int32_t)ready[which].data.u32;
        if (source == LISTENER) accept_client();
        if (source >= 0) read_client(source);
    }
}

// Watches the connection to the database, also for room to send if something is left to be sent.
static void watch_database(PGconn *connection, int is_unsent) {
    static int32_t watched;
    int32_t wanted = EPOLLIN | (is_unsent ? EPOLLOUT : 0);
    if (wanted == watched) return;
    struct epoll_event event = {.events = (uint32_t)wanted, .data.u32 = (uint32_t)DATABASE};
    int change = watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (epoll_ctl(events, change, PQsocket(connection), &event) != 0) give_up("watch the database");
    watched = wanted;
}

// Sends what is buffered, and waits until everything before the synchronization is done.
static void synchronize(PGconn *connection) {
    if (!PQpipelineSync(connection)) fail(connection, "synchronize");
    for (;;) {
        int is_unsent = PQflush(connection);
        if (is_unsent < 0) fail(connection, "send");
        watch_database(connection, is_unsent);
        if (receive_results(connection) > 0) return;
        wait_for_events();
    }
}

// The clients that have requests left to send.
static int32_t active_clients(void) {
    int32_t count = 0;
    for (int32_t which = 0; which < client_count; which++) count += clients[which].answers < most_requests;
    return count;
}

// Waits until as many requests have arrived, or all that the clients still send at once.
static void wait_for_requests(int32_t count) {
    while (arrived_count < count && arrived_count < active_clients()) wait_for_events();
}

// Answers as many requests, or those that there are.
static void answer_requests(int32_t count) {
    for (; count > 0 && arrived_count > 0; count--, arrived_count--) {
        struct client *client = &clients[arrived[first_arrived]];
        first_arrived = (first_arrived + 1) % client_count;
        client->answers++;
        if (send(client->socket, answer, answer_size, MSG_NOSIGNAL) != answer_size) give_up("answer");
    }
}

static void begin_to_listen(uint16_t port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int yes = 1;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 128) != 0) give_up("listen");
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)LISTENER};
    if (epoll_ctl(events, EPOLL_CTL_ADD, listener, &event) != 0) give_up("watch the listener");
    printf("ready\n");
    fflush(stdout);
}

int main(int count, char **arguments) {
    if (count != 6) return 2;
    struct statements statements = prepare_statements(arguments[1], arguments[2]);
    PGconn *connection = statements.connection;
    begin_pipeline(connection);
    client_count = atoi(arguments[4]);
    most_requests = atoi(arguments[5]);
    clients = calloc(client_count, sizeof *clients);
    arrived = calloc(client_count, sizeof *arrived);
    events = epoll_create1(0);
    if (!clients || !arrived || events < 0) give_up("prepare");
    answer_size = snprintf(answer, sizeof answer,
                           "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
                           "Cache-Control: no-store\r\n\r\n%s", sizeof body - 1, body);
    begin_to_listen((uint16_t)atoi(arguments[3]));

    struct execution execution;
    int is_begun = 0;
    while (next_execution(&statements, &execution)) {
        if (!is_begun) wait_for_requests(execution.requests);
        is_begun = 1;
        send_execution(connection, &execution);
        if (execution.waits) synchronize(connection);
        if (execution.waits == WAITS_FOR_COMMIT) {
            answer_requests(execution.requests);
            is_begun = 0;
        }
    }
    // Clients whose requests were in other transactions than the recorded ones.
    while (active_clients() > 0) {
        answer_requests(client_count);
        if (active_clients() > 0) wait_for_events();
    }
    return 0;
}
