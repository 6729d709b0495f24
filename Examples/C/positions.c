/*
 * Prints positions as they come, and says why there is none. The program is an app: Examples/apps has manifests.
 *
 *     cc -o positions positions.c $(pkg-config --cflags --libs waymark)
 *     ./positions [NUMBER]         ends after this number of positions
 *     ./positions --identifiers    prints by what a server may recognize this installation, person and account
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <waymark.h>

static void show(const waymark_event *event)
{
    const waymark_position *position = waymark_event_position(event);
    if (position == NULL) {
        const char *const *word = waymark_event_update(event)->diagnostic_words;
        printf("no position:");
        for (; *word != NULL; word++)
            printf(" %s", *word);
        printf("\n");
        return;
    }
    printf("%.6f %.6f, accurate to %.0f m", position->latitude, position->longitude, position->horizontal_accuracy);
    if (!isnan(position->speed))
        printf(", %.1f m/s", position->speed);
    printf("\n");
}

/* The identifiers are queried each time and not stored, because they may be reset, and tracking may be denied. */
static int print_identifiers(waymark_client *client)
{
    const char *const names[] = { "installation", "advertising", "account" };
    waymark_call calls[3] = { 0 };
    waymark_event *event = NULL;
    int result, open = 3, is_known = 0;

    result = waymark_get_identifier_for_vendor(client, &calls[0]);
    if (result == 0)
        result = waymark_get_advertising_identifier(client, &calls[1]);
    if (result == 0) /* Of waymark-sync, for the first container of the manifest. */
        result = waymark_get_account_identifier(client, NULL, NULL, &calls[2]);

    while (result >= 0 && open > 0 && (result = waymark_wait(client, -1)) >= 0) {
        while (waymark_next(client, &event) > 0) {
            const waymark_identifier *found = waymark_event_identifier(event);
            const waymark_tracking *tracking = waymark_event_tracking(event);
            int index = 0;
            while (index < 2 && calls[index] != waymark_event_call(event))
                index++;
            if (found != NULL && tracking != NULL && tracking->status != WAYMARK_TRACKING_AUTHORIZED)
                printf("%s: none, because tracking is not allowed\n", names[index]);
            else if (found != NULL)
                printf("%s: %s\n", names[index], found->identifier);
            if (found != NULL)
                is_known = 1;
            if (waymark_event_type(event) == WAYMARK_EVENT_ENDED) {
                open--;
                if (waymark_event_error(event) < 0)
                    fprintf(stderr, "%s: %s\n", names[index], waymark_event_message(event));
            }
            waymark_event_free(event);
        }
    }
    if (result < 0)
        fprintf(stderr, "%s\n", waymark_error_message(result));
    return is_known ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int count, char **arguments)
{
    long wanted = count > 1 ? strtol(arguments[1], NULL, 10) : -1;
    waymark_client *client = NULL;
    waymark_call positions = 0;
    waymark_event *event = NULL;
    waymark_monitor_options options = WAYMARK_MONITOR_OPTIONS_INIT;
    int result, is_open = 1;

    options.distance_filter = 10;
    result = waymark_client_new(NULL, &client);
    if (result == 0 && count > 1 && strcmp(arguments[1], "--identifiers") == 0) {
        result = print_identifiers(client);
        waymark_client_free(client);
        return result;
    }
    if (result == 0) /* The program counts as in use while it runs in a terminal. */
        result = waymark_declare_activity(client, WAYMARK_ACTIVITY_ACTIVE, NULL);
    if (result == 0)
        result = waymark_monitor_positions(client, &options, &positions);

    while (result >= 0 && is_open && wanted != 0 && (result = waymark_wait(client, -1)) >= 0) {
        while (is_open && wanted != 0 && waymark_next(client, &event) > 0) {
            /* The declaration has events, too: 0 for them. */
            switch (waymark_event_call(event) == positions ? waymark_event_type(event) : 0) {
            case WAYMARK_EVENT_POSITION:
                show(event);
                if (wanted > 0 && waymark_event_position(event) != NULL)
                    wanted--;
                break;
            case WAYMARK_EVENT_INTERRUPTED:
                fprintf(stderr, "%s\n", waymark_event_message(event));
                break;
            case WAYMARK_EVENT_ENDED: /* Not authorized, or no longer. */
                fprintf(stderr, "%s\n", waymark_event_message(event));
                result = waymark_event_error(event);
                is_open = 0;
                break;
            }
            fflush(stdout);
            waymark_event_free(event);
        }
    }
    if (result < 0 && is_open)
        fprintf(stderr, "%s\n", waymark_error_message(result));
    waymark_client_free(client);
    return result < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
