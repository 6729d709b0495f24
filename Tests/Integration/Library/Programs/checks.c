/* What a program in C relies on, one check for each word: checks WORD. Exits with 0, or says which line has failed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <waymark.h>

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "checks.c:%d: %s (errno %d)\n", __LINE__, #condition, errno); \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

/* Takes the next event, and returns its type; its error and position are left in the variables below. */
static _Thread_local int error;
static int next(waymark_client *client)
{
    waymark_event *event = NULL;
    int type;
    CHECK(waymark_wait(client, 60000) > 0);
    CHECK(waymark_next(client, &event) == 1);
    type = waymark_event_type(event);
    error = waymark_event_error(event);
    if (type == WAYMARK_EVENT_PATH) {
        CHECK(waymark_event_path(event)->gateways != NULL);
        CHECK(waymark_event_path(event)->interface_count == 0 || waymark_event_interface(event, 0)->name != NULL);
        CHECK(waymark_event_interface(event, waymark_event_path(event)->interface_count) == NULL);
    }
    waymark_event_free(event);
    return type;
}

static waymark_client *new_client(void)
{
    waymark_client *client = NULL;
    CHECK(waymark_client_new(NULL, &client) == 0);
    return client;
}

static void threads_are_not_started(void)
{
    char line[256];
    int threads = 0;
    FILE *file = fopen("/proc/self/status", "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file))
        sscanf(line, "Threads: %d", &threads);
    fclose(file);
    CHECK(threads == 1);
}

static void check_fork(void)
{
    waymark_client *client = new_client();
    waymark_call call;
    waymark_event *event = NULL;
    int status;
    pid_t child;
    CHECK(waymark_monitor_path(client, &call) == 0);
    CHECK(next(client) == WAYMARK_EVENT_PATH);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(waymark_process(client) == -ECHILD);
        CHECK(waymark_fd(client) == -ECHILD);
        CHECK(waymark_next(client, &event) == -ECHILD);
        CHECK(waymark_end(client, call) == -ECHILD);
        CHECK(waymark_get_path(client, NULL) == -ECHILD);
        waymark_client_free(client);
        /* The child has a client of its own. */
        client = new_client();
        CHECK(waymark_get_path(client, NULL) == 0);
        CHECK(next(client) == WAYMARK_EVENT_PATH);
        waymark_client_free(client);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    /* The parent's connection is still watched: the daemon replies on it to nothing else, so the client has to wait. */
    CHECK(waymark_wait(client, 50) >= 0);
    CHECK(waymark_get_path(client, NULL) == 0);
    while (next(client) != WAYMARK_EVENT_ENDED)
        continue;
    CHECK(error == 0);
    waymark_client_free(client);
}

static void check_full(void)
{
    struct rlimit limit = {64, 64};
    waymark_client *client = NULL;
    waymark_call call;
    int held[64], count = 0;
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    while ((held[count] = dup(0)) >= 0)
        count++;
    CHECK(errno == EMFILE);
    CHECK(waymark_client_new(NULL, &client) == -EMFILE && client == NULL);
    CHECK(strcmp(waymark_error_message(-EMFILE), "Too many open files.") == 0);
    close(held[--count]);
    client = new_client();
    CHECK(waymark_monitor_path(client, &call) == 0);
    CHECK(next(client) == WAYMARK_EVENT_INTERRUPTED && error == -EMFILE);
    CHECK(waymark_get_path(client, NULL) == 0);
    CHECK(next(client) == WAYMARK_EVENT_ENDED && error == -EMFILE);
    close(held[--count]);
    CHECK(next(client) == WAYMARK_EVENT_RESUMED);
    CHECK(next(client) == WAYMARK_EVENT_PATH);
    waymark_client_free(client);
}

static void handle(int number) { (void)number; }

static void check_signals(void)
{
    struct sigaction action;
    /* Each second: the first signal may come before the client waits. */
    struct itimerval timer = {{1, 0}, {1, 0}};
    waymark_client *client = new_client();
    int result;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    CHECK(waymark_monitor_path(client, NULL) == 0);
    CHECK(next(client) == WAYMARK_EVENT_PATH);
    CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
    /* The path may change meanwhile. */
    while ((result = waymark_wait(client, 60000)) > 0)
        CHECK(next(client) == WAYMARK_EVENT_PATH);
    CHECK(result == -EINTR);
    /* Nothing was installed or ignored. */
    CHECK(sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
    waymark_client_free(client);
}

/* Prints what happens to a path: the test stops and starts the daemon meanwhile. */
static void check_restart(void)
{
    waymark_client *client = new_client();
    int type, resumed = 0;
    CHECK(waymark_monitor_path(client, NULL) == 0);
    do {
        type = next(client);
        printf("%d %d\n", type, error);
        fflush(stdout);
        resumed |= type == WAYMARK_EVENT_RESUMED;
    } while (!resumed || type != WAYMARK_EVENT_PATH);
    waymark_client_free(client);
}

/* Prints what positions, headings and visits report, each as a letter and what the test compares. Positions are collected for
 * this many seconds. Ends with the process. */
static void check_streams(double delay)
{
    waymark_client *client = new_client();
    waymark_monitor_options options = WAYMARK_MONITOR_OPTIONS_INIT;
    waymark_call positions, headings, visits;
    options.maximum_delay = delay;
    CHECK(waymark_monitor_positions(client, &options, &positions) == 0);
    CHECK(waymark_monitor_headings(client, 5, &headings) == 0);
    CHECK(waymark_monitor_visits(client, 0, &visits) == 0);
    for (;;) {
        waymark_event *event = NULL;
        waymark_call call;
        char letter;
        CHECK(waymark_wait(client, -1) > 0);
        CHECK(waymark_next(client, &event) == 1);
        call = waymark_event_call(event);
        letter = call == positions ? 'p' : call == headings ? 'h' : 'v';
        switch (waymark_event_type(event)) {
        case WAYMARK_EVENT_POSITION:
            CHECK(letter == 'p' && waymark_event_update(event) != NULL);
            if (waymark_event_position(event))
                printf("p %.0f\n", waymark_event_position(event)->timestamp);
            break;
        case WAYMARK_EVENT_HEADING:
            CHECK(letter == 'h');
            printf("h %.0f\n", waymark_event_heading(event)->true_heading);
            break;
        case WAYMARK_EVENT_VISIT:
            CHECK(letter == 'v');
            printf("v %.0f %.0f\n", waymark_event_visit(event)->arrival, waymark_event_visit(event)->departure);
            break;
        case WAYMARK_EVENT_INTERRUPTED:
            CHECK(waymark_event_error(event) < 0);
            printf("%c interrupted\n", letter);
            break;
        case WAYMARK_EVENT_RESUMED:
            printf("%c resumed\n", letter);
            break;
        default:
            printf("%c ended %d %s\n", letter, waymark_event_error(event), waymark_event_message(event));
        }
        fflush(stdout);
        waymark_event_free(event);
    }
}

/* Asks the person for positions while the app is in use, and prints the status and the accuracy that the person has given. */
static void check_ask(void)
{
    waymark_client *client = new_client();
    waymark_call activity, request;
    waymark_event *event = NULL;
    int type;
    CHECK(waymark_declare_activity(client, WAYMARK_ACTIVITY_ACTIVE, &activity) == 0);
    CHECK(next(client) == WAYMARK_EVENT_AUTHORIZATION);
    CHECK(waymark_request_when_in_use(client, &request) == 0);
    do {
        CHECK(waymark_wait(client, -1) > 0);
        CHECK(waymark_next(client, &event) == 1);
        CHECK(waymark_event_call(event) == request);
        type = waymark_event_type(event);
        if (type == WAYMARK_EVENT_AUTHORIZATION)
            printf("%d %d\n", waymark_event_authorization(event)->status,
                   waymark_event_authorization(event)->accuracy);
        else
            CHECK(type == WAYMARK_EVENT_ENDED && waymark_event_error(event) == 0);
        waymark_event_free(event);
    } while (type != WAYMARK_EVENT_ENDED);
    waymark_client_free(client);
}

/* Prints whether protected data can be read, once and then after every change. Ends with the process. */
static void check_protection(void)
{
    waymark_client *client = new_client();
    waymark_call once;
    CHECK(waymark_get_protected_data(client, &once) == 0);
    for (;;) {
        const waymark_protected_data *data;
        struct timespec now;
        waymark_event *event = NULL;
        CHECK(waymark_wait(client, -1) > 0);
        CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
        CHECK(waymark_next(client, &event) == 1);
        data = waymark_event_protected_data(event);
        CHECK((data != NULL) == (waymark_event_type(event) == WAYMARK_EVENT_PROTECTED_DATA));
        switch (waymark_event_type(event)) {
        case WAYMARK_EVENT_PROTECTED_DATA:
            if (data->state == WAYMARK_PROTECTED_DATA_BECOMING_UNAVAILABLE)
                CHECK(data->unavailable_at > now.tv_sec && data->unavailable_at < now.tv_sec + 12);
            else
                CHECK(isnan(data->unavailable_at));
            printf("%s%d\n", waymark_event_call(event) == once ? "once " : "", data->state);
            break;
        case WAYMARK_EVENT_INTERRUPTED:
            printf("interrupted\n");
            break;
        case WAYMARK_EVENT_RESUMED:
            printf("resumed\n");
            break;
        default:
            printf("ended %d\n", waymark_event_error(event));
            CHECK(waymark_event_call(event) == once);
            CHECK(waymark_monitor_protected_data(client, NULL) == 0);
        }
        fflush(stdout);
        waymark_event_free(event);
    }
}

static void *use(void *unused)
{
    waymark_client *client = new_client();
    int round;
    (void)unused;
    for (round = 0; round < 50; round++) {
        CHECK(waymark_get_path(client, NULL) == 0);
        CHECK(next(client) == WAYMARK_EVENT_PATH);
        CHECK(next(client) == WAYMARK_EVENT_ENDED && error == 0);
    }
    waymark_client_free(client);
    return NULL;
}

static void check_own_loop(void)
{
    waymark_client *client = new_client();
    waymark_event *event = NULL;
    int paths = 0, ends = 0;
    CHECK(waymark_get_path(client, NULL) == 0);
    while (ends == 0) {
        struct pollfd entry = {waymark_fd(client), POLLIN, 0};
        CHECK(poll(&entry, 1, waymark_timeout(client)) >= 0);
        CHECK(waymark_process(client) >= 0);
        while (waymark_next(client, &event) == 1) {
            paths += waymark_event_type(event) == WAYMARK_EVENT_PATH;
            ends += waymark_event_type(event) == WAYMARK_EVENT_ENDED;
            waymark_event_free(event);
        }
    }
    CHECK(paths == 1);
    threads_are_not_started();
    CHECK(fcntl(waymark_fd(client), F_GETFD) & FD_CLOEXEC);
    waymark_client_free(client);
}

/* Prints kB of memory that this process has alone and in all, with the library loaded and a stream open. */
static void check_memory(void)
{
    char line[256];
    FILE *file;
    waymark_client *client = new_client();
    CHECK(waymark_monitor_path(client, NULL) == 0);
    CHECK(next(client) == WAYMARK_EVENT_PATH);
    file = fopen("/proc/self/smaps_rollup", "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, "Rss:", 4) || !strncmp(line, "Private_Dirty:", 14) || !strncmp(line, "Pss:", 4))
            fputs(line, stdout);
    fclose(file);
    waymark_client_free(client);
}

/* Waits for the end of a call, and prints what it reports after a word. Returns the error of the end. */
static int report(waymark_client *client, waymark_call call, const char *word)
{
    int result = 1;
    while (result > 0) {
        waymark_event *event = NULL;
        const waymark_identifier *identifier;
        const waymark_tracking *tracking;
        CHECK(waymark_wait(client, 60000) > 0);
        CHECK(waymark_next(client, &event) == 1);
        identifier = waymark_event_identifier(event);
        tracking = waymark_event_tracking(event);
        if (waymark_event_call(event) == call && identifier != NULL)
            printf("%s %s\n", word, identifier->identifier);
        else if (waymark_event_call(event) == call && tracking != NULL)
            printf("%s %d %d\n", word, tracking->status, tracking->obstacle);
        if (waymark_event_call(event) == call && waymark_event_type(event) == WAYMARK_EVENT_ENDED)
            result = waymark_event_error(event);
        waymark_event_free(event);
    }
    fflush(stdout);
    return result;
}

/* An app in use that asks for tracking. */
static waymark_client *new_app(void)
{
    waymark_client *client = new_client();
    CHECK(waymark_declare_activity(client, WAYMARK_ACTIVITY_ACTIVE, NULL) == 0);
    CHECK(next(client) == WAYMARK_EVENT_AUTHORIZATION);
    return client;
}

static void check_identifiers(const char *socket, const char *container)
{
    waymark_client *client = new_app();
    waymark_call call;
    CHECK(waymark_get_tracking_authorization(client, &call) == 0);
    CHECK(report(client, call, "before") == 0);
    CHECK(waymark_request_tracking_authorization(client, &call) == 0);
    CHECK(report(client, call, "after") == 0);
    CHECK(waymark_get_identifier_for_vendor(client, &call) == 0);
    CHECK(report(client, call, "vendor") == 0);
    CHECK(waymark_get_advertising_identifier(client, &call) == 0);
    CHECK(report(client, call, "advertising") == 0);
    CHECK(waymark_get_account_identifier(client, socket, container, &call) == 0);
    CHECK(report(client, call, "account") == 0);
    waymark_client_free(client);
}

static void check_purpose(void)
{
    waymark_client *client = new_app();
    waymark_call call;
    CHECK(waymark_request_tracking_authorization(client, &call) == 0);
    CHECK(report(client, call, "purpose") == WAYMARK_ERROR_PURPOSE_MISSING);
    waymark_client_free(client);
}

int main(int count, char **arguments)
{
    const char *word = count > 1 ? arguments[1] : "";
    if (!strcmp(word, "fork"))
        check_fork();
    else if (!strcmp(word, "full"))
        check_full();
    else if (!strcmp(word, "signals"))
        check_signals();
    else if (!strcmp(word, "restart"))
        check_restart();
    else if (!strcmp(word, "streams") && count > 2)
        check_streams(atof(arguments[2]));
    else if (!strcmp(word, "ask"))
        check_ask();
    else if (!strcmp(word, "identifiers") && count > 3)
        check_identifiers(arguments[2], arguments[3]);
    else if (!strcmp(word, "purpose"))
        check_purpose();
    else if (!strcmp(word, "protection"))
        check_protection();
    else if (!strcmp(word, "loop"))
        check_own_loop();
    else if (!strcmp(word, "memory"))
        check_memory();
    else if (!strcmp(word, "threads")) {
        pthread_t threads[4];
        int index;
        for (index = 0; index < 4; index++)
            CHECK(pthread_create(&threads[index], NULL, use, NULL) == 0);
        for (index = 0; index < 4; index++)
            CHECK(pthread_join(threads[index], NULL) == 0);
    } else {
        fprintf(stderr, "usage: checks fork|full|signals|restart|streams SECONDS|ask|protection|loop|memory|threads\n");
        return 2;
    }
    return 0;
}
