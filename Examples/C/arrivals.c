/*
 * Reports arrivals at a place and departures from it, each at least once, also those of the time in which this program
 * did not run. Has a main loop of its own, as most programs do: poll(2) of a terminal and of the library.
 *
 *     cc -o arrivals arrivals.c $(pkg-config --cflags --libs waymark)
 *     ./arrivals LATITUDE LONGITUDE METRES      ends with the end of its standard input
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <waymark.h>

static const char monitor[] = "arrivals";

static int fail(int error)
{
    fprintf(stderr, "%s\n", waymark_error_message(error));
    return EXIT_FAILURE;
}

/* Handles an event; whether the program goes on. */
static int handle(waymark_client *client, waymark_call adding, const waymark_event *event)
{
    const waymark_region_event *border = waymark_event_region(event);
    if (waymark_event_error(event) != 0) {
        fprintf(stderr, "%s\n", waymark_event_message(event));
        return waymark_event_type(event) != WAYMARK_EVENT_ENDED;
    }
    if (waymark_event_type(event) == WAYMARK_EVENT_ENDED && waymark_event_call(event) == adding) {
        /* The place is stored: now its events can be followed. */
        puts("watching");
        return waymark_monitor_regions(client, monitor, -1, NULL) == 0;
    }
    if (border != NULL) {
        if (border->state == WAYMARK_STATE_INSIDE)
            printf("%lld: there\n", (long long)border->sequence);
        else if (border->state == WAYMARK_STATE_OUTSIDE)
            printf("%lld: not there\n", (long long)border->sequence);
        /* Until an event is acknowledged, it is reported again when the program is started again. */
        return waymark_acknowledge(client, monitor, border->sequence, NULL) == 0;
    }
    return 1;
}

int main(int count, char **arguments)
{
    waymark_point center;
    waymark_region place = WAYMARK_REGION_INIT;
    const waymark_region *places[1];
    waymark_client *client = NULL;
    waymark_call adding = 0;
    int result, goes_on = 1;

    if (count != 4) {
        fprintf(stderr, "usage: arrivals LATITUDE LONGITUDE METRES\n");
        return 2;
    }
    center.latitude = strtod(arguments[1], NULL);
    center.longitude = strtod(arguments[2], NULL);
    place.identifier = "place";
    place.points = &center;
    place.point_count = 1;
    place.radius = strtod(arguments[3], NULL);
    places[0] = &place;

    if ((result = waymark_client_new(NULL, &client)) < 0)
        return fail(result);
    result = waymark_add_regions(client, monitor, places, 1, &adding);
    while (goes_on && result >= 0) {
        struct pollfd entries[2] = {{STDIN_FILENO, POLLIN, 0}, {-1, POLLIN, 0}};
        waymark_event *event = NULL;

        entries[1].fd = waymark_fd(client);
        if (poll(entries, 2, waymark_timeout(client)) < 0)
            break;
        if (entries[0].revents != 0) {
            char text[256];
            if (read(STDIN_FILENO, text, sizeof text) <= 0)
                break;
        }
        result = waymark_process(client);
        while (goes_on && result >= 0 && waymark_next(client, &event) > 0) {
            goes_on = handle(client, adding, event);
            fflush(stdout);
            waymark_event_free(event);
        }
    }
    waymark_client_free(client);
    if (result < 0)
        return fail(result);
    return goes_on ? EXIT_SUCCESS : EXIT_FAILURE;
}
