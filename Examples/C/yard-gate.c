/*
 * A service that sleeps: it is started when the vehicle comes to the yard or leaves it, and when the network is back, says
 * so at least once, and ends. It never polls. Its manifest is Examples/apps/yard-gate.app.
 *
 *     cc -o yard-gate yard-gate.c $(pkg-config --cflags --libs waymark)
 *     systemctl start yard-gate.service         once, so that it adds its region; its command is
 *     yard-gate LATITUDE LONGITUDE METRES
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <waymark.h>

static const char monitor[] = "yard";

/* Prints an error and ends: what is not acknowledged wakes the program again. */
static void fail(const char *message)
{
    fprintf(stderr, "%s\n", message);
    exit(EXIT_FAILURE);
}

static void check(int result)
{
    if (result < 0)
        fail(waymark_error_message(result));
}

/* Waits for the next event of the only call: one of this type, or NULL when the call has ended. The caller frees it. */
static waymark_event *next(waymark_client *client, int type)
{
    for (;;) {
        waymark_event *event = NULL;
        check(waymark_wait(client, -1));
        check(waymark_next(client, &event));
        if (waymark_event_type(event) == type)
            return event;
        if (waymark_event_type(event) == WAYMARK_EVENT_ENDED) {
            if (waymark_event_error(event) < 0)
                fail(waymark_event_message(event));
            waymark_event_free(event);
            return NULL;
        }
        /* The daemon is being restarted: the call goes on. */
        waymark_event_free(event);
    }
}

/* Waits until a call has ended that reports nothing. */
static void finish(waymark_client *client)
{
    waymark_event *event = next(client, WAYMARK_EVENT_ENDED);
    if (waymark_event_error(event) < 0)
        fail(waymark_event_message(event));
    waymark_event_free(event);
}

/* Requests what wakes the program. A region that is added again would have its state decided again, which is an event. */
static void prepare(waymark_client *client, char **numbers)
{
    waymark_point center;
    waymark_region yard = WAYMARK_REGION_INIT;
    const waymark_region *regions[1];

    center.latitude = strtod(numbers[0], NULL);
    center.longitude = strtod(numbers[1], NULL);
    yard.identifier = "gate";
    yard.points = &center;
    yard.point_count = 1;
    yard.radius = strtod(numbers[2], NULL);
    regions[0] = &yard;
    check(waymark_add_regions(client, monitor, regions, 1, NULL));
    finish(client);
    check(waymark_request_wakes(client, WAYMARK_CAUSE_PATH, NULL, 0, NULL));
    finish(client);
}

/* Handles the first event of a monitor that is not acknowledged. */
static void handle_border(waymark_client *client)
{
    waymark_call call = 0;
    const waymark_region_event *border;
    waymark_event *event;
    int64_t sequence;

    check(waymark_monitor_regions(client, monitor, -1, &call));
    event = next(client, WAYMARK_EVENT_REGION);
    if (event == NULL)
        fail("The monitor has ended.");
    border = waymark_event_region(event);
    sequence = border->sequence;
    if (border->state == WAYMARK_STATE_INSIDE)
        printf("%lld: open the gate\n", (long long)sequence);
    else if (border->state == WAYMARK_STATE_OUTSIDE)
        printf("%lld: close the gate\n", (long long)sequence);
    fflush(stdout);
    waymark_event_free(event);
    check(waymark_end(client, call));
    /* Until it is acknowledged, the event is reported again, and wakes the program again. */
    check(waymark_acknowledge(client, monitor, sequence, NULL));
    finish(client);
}

/* Handles the first other event of the app. Acknowledging it confirms all before it, so they are handled in their order. */
static void handle_wake(waymark_client *client)
{
    waymark_call call = 0;
    const waymark_wake *wake;
    waymark_event *event;
    int64_t sequence;

    check(waymark_monitor_wakes(client, -1, &call));
    event = next(client, WAYMARK_EVENT_WAKE);
    if (event == NULL)
        fail("The events have ended.");
    wake = waymark_event_wake(event);
    sequence = wake->sequence;
    if (wake->cause == WAYMARK_CAUSE_PATH)
        printf("%lld: the network is back\n", (long long)sequence);
    else
        printf("%lld: %s %s\n", (long long)sequence, wake->cause_word, wake->container ? wake->container : "");
    fflush(stdout);
    waymark_event_free(event);
    check(waymark_end(client, call));
    check(waymark_acknowledge_wakes(client, sequence, NULL));
    finish(client);
}

/* Handles the first pending event; false if nothing is pending. `launch` is the first query of this process. */
static bool handle_next(waymark_client *client, bool launch, char **numbers)
{
    const waymark_launch_reason *reason;
    const waymark_pending *pending;
    waymark_event *event;
    bool is_woken, is_pending, is_border;

    check(waymark_get_launch_reason(client, NULL));
    event = next(client, WAYMARK_EVENT_LAUNCH_REASON);
    if (event == NULL)
        fail("The daemon has not said why this program runs.");
    reason = waymark_event_launch_reason(event);
    pending = waymark_event_pending(event, 0);
    is_woken = reason->is_woken;
    is_pending = pending != NULL;
    is_border = is_pending && pending->monitor != NULL;
    if (launch)
        printf("woken for: %s\n", is_woken ? reason->cause_word : "nothing, started by itself");
    waymark_event_free(event);
    finish(client);

    if (launch && !is_woken)
        prepare(client, numbers);
    if (is_border)
        handle_border(client);
    else if (is_pending)
        handle_wake(client);
    return is_pending;
}

int main(int count, char **arguments)
{
    waymark_client *client = NULL;
    bool launch = true;

    if (count != 4) {
        fprintf(stderr, "usage: yard-gate LATITUDE LONGITUDE METRES\n");
        return 2;
    }
    check(waymark_client_new(NULL, &client));
    while (handle_next(client, launch, arguments + 1))
        launch = false;
    /* An event from now on starts the program again. */
    waymark_client_free(client);
    return EXIT_SUCCESS;
}
