/*
 * waymark.h: positions, authorization, regions, the network path, the waking of apps and identifiers of this machine, for C,
 * C++ and every language that can call C. Link with `pkg-config --cflags --libs waymark`.
 *
 * A CLIENT holds open CALLS of the Waymark daemon and a queue of EVENTS. A program
 *
 *   1. makes a client:                    waymark_client_new()
 *   2. begins calls:                      waymark_monitor_positions(), waymark_monitor_path(), ...
 *   3. waits:                             waymark_wait(), or in its own main loop waymark_fd() and waymark_timeout()
 *   4. receives data and events:          waymark_process(), done by waymark_wait() already
 *   5. takes events until there are none: waymark_next(), waymark_event_free()
 *
 * Threads. The library starts no thread and calls nothing in the program. A client, with its calls, belongs to one thread
 * at a time; different clients are independent. An event belongs to who took it, and may be used on another thread.
 *
 * Signals. The library installs no handler, and no SIGPIPE is raised. waymark_wait() returns -EINTR after a handled
 * signal. No function is async-signal-safe.
 *
 * Fork. All descriptors are close-on-exec. After fork() without exec, a client works in the parent only: in the child
 * every function that has a client returns -ECHILD, except waymark_client_free(), which releases the child's copy
 * without effect on the parent. The child makes a client of its own.
 *
 * Loading. The library may be loaded with dlopen(). It stays loaded: dlclose() does not unmap it.
 *
 * Results. Functions that return int return 0 or a positive number for success and a negative number for an error: the
 * negative of an errno value, or one of enum waymark_error. waymark_error_message() has a sentence for both.
 *
 * NULL. Passing NULL where a pointer is needed is -EINVAL, or an empty result; it is harmless. Freeing NULL has no effect.
 * Every client and every event is freed exactly once: using one that was freed, or freeing it again, is undefined
 * behaviour, as with free(). A call is a number that is never used again by its client, so that ending a call twice is
 * only -ENOENT.
 *
 * Text is UTF-8. Other text is -EILSEQ.
 *
 * Numbers. Angles are degrees of WGS 84 and degrees from true north, lengths metres, speeds metres per second, durations
 * seconds, times seconds since 1970-01-01T00:00:00Z, accuracies the radius of 68 % confidence. Unknown values are NAN.
 *
 * Growing. Structures that the library returns may get members at their end in later releases: programs use them
 * through the pointers that they receive and never copy, allocate or index them. Structures that a program passes begin
 * with their size; use the _INIT macros. Enumerations may get values: treat unknown ones as "other". The soname changes
 * if anything else has to change.
 */
#ifndef WAYMARK_H
#define WAYMARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WAYMARK_API __attribute__((visibility("default")))

/* The client of a daemon. */
typedef struct waymark_client waymark_client;
/* Something that a call has reported. */
typedef struct waymark_event waymark_event;
/* The number of a call: unique within its client, never 0. */
typedef uint64_t waymark_call;

/* ---- Errors --------------------------------------------------------------------------------------------------- */

/* Errors of the daemon. Other errors are negative errno values:
 *   -ENOENT, -ECONNREFUSED      the daemon does not run; of waymark_get_account_identifier() waymark-sync
 *   -EACCES, -EPERM             the socket may not be used
 *   -ECONNRESET                 the daemon has closed the connection
 *   -ETIMEDOUT                  the daemon has not replied within the time
 *   -EPROTO, -EMSGSIZE          the peer is no Waymark daemon, or sends messages of more than 4 MiB
 *   -EMFILE, -ENFILE            there is no descriptor left
 *   -EINVAL, -EILSEQ, -E2BIG    an argument is NULL, out of range; no UTF-8; of a release after the library's
 *   -ECHILD                     the client belongs to the parent process
 */
enum waymark_error {
    WAYMARK_ERROR_OTHER = -10000,                /* any other error of the daemon: see waymark_event_message() */
    WAYMARK_ERROR_DENIED = -10001,               /* the person in charge denied it */
    WAYMARK_ERROR_DENIED_GLOBALLY = -10002,      /* location services are off */
    WAYMARK_ERROR_RESTRICTED = -10003,           /* a restriction of this machine forbids it */
    WAYMARK_ERROR_NOT_DETERMINED = -10004,       /* nobody has decided yet: request authorization */
    WAYMARK_ERROR_NOT_IN_USE = -10005,           /* allowed only while the app is in use: declare the activity */
    WAYMARK_ERROR_MANIFEST_MISSING = -10006,     /* no manifest matches the program */
    WAYMARK_ERROR_ACCOUNT_SUSPENDED = -10007,    /* stored data of the program's user is not used */
    WAYMARK_ERROR_ACCURACY_REDUCED = -10008,     /* the program may have reduced accuracy only */
    WAYMARK_ERROR_PURPOSE_MISSING = -10009,      /* the manifest lacks the text of this request */
    WAYMARK_ERROR_REQUEST_IN_PROGRESS = -10010,  /* a prompt for this is already shown */
    WAYMARK_ERROR_NOT_STORED = -10011,           /* the decision or identifier could not be stored, so it is not in force */
    WAYMARK_ERROR_POSITION_UNKNOWN = -10012,     /* there is no position now */
    WAYMARK_ERROR_TIMEOUT = -10013,              /* no position was available in time */
    WAYMARK_ERROR_TOO_MANY_CONNECTIONS = -10014, /* the program's user has too many connections, or calls that wait */
    WAYMARK_ERROR_NOT_ALLOWED = -10015,          /* regions: the program is neither an app nor an operator's */
    WAYMARK_ERROR_NO_SUCH_MONITOR = -10016,      /* regions: no monitor has this name; add a region first */
    WAYMARK_ERROR_INVALID_IDENTIFIER = -10017,   /* regions: a name or an identifier is not valid */
    WAYMARK_ERROR_INVALID_REGION = -10018,       /* regions: the shape is none; the message names the point */
    WAYMARK_ERROR_TOO_MANY_MONITORS = -10019,    /* regions: no more monitors */
    WAYMARK_ERROR_TOO_MANY_REGIONS = -10020,     /* regions: no more regions */
    WAYMARK_ERROR_NO_SUCH_EVENT = -10021,        /* regions: the monitor has no event with this number */
    WAYMARK_ERROR_REGIONS_UNAVAILABLE = -10022,  /* regions: they cannot be stored or read; nothing was changed */
    WAYMARK_ERROR_NETWORK_UNAVAILABLE = -10023,  /* network: the kernel cannot be queried */
    WAYMARK_ERROR_INVALID_HOST = -10024,         /* network: the host is neither a name nor an address */
    WAYMARK_ERROR_OTHER_NETWORK = -10025,        /* network: the program is in another network namespace */
    WAYMARK_ERROR_TOO_MANY_TARGETS = -10026,     /* network: the program's user watches too many hosts */
    WAYMARK_ERROR_NOT_OPERATOR = -10027,         /* the call is for operators */
    WAYMARK_ERROR_INCOMPATIBLE = -10028,         /* the daemon is older and does not know a part of the call: update it */
    WAYMARK_ERROR_PROTECTED_DATA_UNAVAILABLE = -10029, /* regions, identifiers of accounts: the data is locked; wait */
    WAYMARK_ERROR_NO_APP = -10030,               /* waking: only apps are woken, and no manifest matches the program */
    WAYMARK_ERROR_NOT_DECLARED = -10031,         /* waking: [Wake] For= of the manifest does not name the cause */
    WAYMARK_ERROR_INVALID_SUBSCRIPTION = -10032, /* waking: the cause needs no request, or its host is not valid */
    WAYMARK_ERROR_TOO_MANY_SUBSCRIPTIONS = -10033, /* waking: the app has requested as many hosts as it may */
    WAYMARK_ERROR_NO_SUCH_WAKE = -10034,         /* waking: the app has no event with this number */
    WAYMARK_ERROR_WAKES_NOT_STORED = -10035,     /* waking: the disk is full or broken; nothing was changed */
    WAYMARK_ERROR_IDENTITY_NOT_ALLOWED = -10036, /* identifiers: the program is no app, or not one of the container */
    WAYMARK_ERROR_NO_ACCOUNT = -10037,           /* identifiers: the machine has joined no account */
    WAYMARK_ERROR_HUB_UNAVAILABLE = -10038       /* identifiers: the hub was not reached since the machine has joined */
};

/* A sentence about a result or an error, for a person; for 0 "Success." Never NULL. Static: not to be freed. */
WAYMARK_API const char *waymark_error_message(int error);

/* The release of the library, such as "0.1.0". Static. */
WAYMARK_API const char *waymark_version(void);

/* ---- Clients and the main loop -------------------------------------------------------------------------------- */

/* Makes a client of the daemon at a socket; with NULL at WAYMARK_SOCKET in the environment, otherwise at the system's.
 * Connects to nothing yet: each call has a connection of its own. The caller frees the client. */
WAYMARK_API int waymark_client_new(const char *socket_path, waymark_client **client);

/* Ends all calls and frees the client with its queued events. Events that were taken stay valid. */
WAYMARK_API void waymark_client_free(waymark_client *client);

/* A descriptor that is readable, POLLIN, when waymark_process() has to be called; the same for the client's life. To be
 * polled only: neither read, written nor closed. It may be added to an epoll set, a GMainContext or an sd-event. */
WAYMARK_API int waymark_fd(waymark_client *client);

/* The milliseconds after which waymark_process() has to be called although the descriptor is not readable, -1 for never,
 * as poll() takes it; 0 while events are queued. To be queried before each poll. An error is a number below -1. */
WAYMARK_API int waymark_timeout(waymark_client *client);

/* Sends and receives without blocking, and returns the number of queued events. */
WAYMARK_API int waymark_process(waymark_client *client);

/* For programs without a main loop: waits up to this many milliseconds, -1 for no limit, until an event is queued, and
 * returns the number of queued events, 0 after the time. -EINTR after a handled signal. -EDEADLK if there is no limit and
 * no call is open, as no event could come. */
WAYMARK_API int waymark_wait(waymark_client *client, int milliseconds);

/* Takes the next event, in the order of arrival: 1, or 0 and NULL if none is queued. The caller frees the event.
 *
 * Up to 64 events of each call are queued; then the call's connection is not read until events are taken. The daemon
 * keeps the newest position, authorization, path and host for a slow reader, and counts the positions that it drops. */
WAYMARK_API int waymark_next(waymark_client *client, waymark_event **event);

/* Ends a call without a further event, and discards its queued events. -ENOENT if it is not open: it has ended and its
 * WAYMARK_EVENT_ENDED was taken, or it never existed. */
WAYMARK_API int waymark_end(waymark_client *client, waymark_call call);

/* ---- Events --------------------------------------------------------------------------------------------------- */

/* The kinds of events. A call reports events of its own kind and, unless waymark_end() ends it, exactly one last event
 * WAYMARK_EVENT_ENDED.
 *
 * A monitor lasts over restarts of the daemon and begins also without a daemon: WAYMARK_EVENT_INTERRUPTED says once that
 * the daemon is unavailable, attempts follow after 0.1 s to 5 s, and WAYMARK_EVENT_RESUMED says that the daemon
 * has accepted the call again (for the first time, if there was no daemon at first). An orderly restart of the daemon is
 * not noticed where the service manager preserves its connections. Calls with one reply are not repeated. */
enum waymark_event_type {
    WAYMARK_EVENT_ENDED = 1,       /* the call has ended: waymark_event_error(), 0 for success */
    WAYMARK_EVENT_INTERRUPTED = 2, /* the daemon is unavailable: waymark_event_error(); the call goes on */
    WAYMARK_EVENT_RESUMED = 3,     /* the call goes on with the daemon */
    WAYMARK_EVENT_POSITION = 4,    /* waymark_event_position(), waymark_event_update() */
    WAYMARK_EVENT_AUTHORIZATION = 5, /* waymark_event_authorization() */
    WAYMARK_EVENT_HEADING = 6,     /* waymark_event_heading() */
    WAYMARK_EVENT_VISIT = 7,       /* waymark_event_visit() */
    WAYMARK_EVENT_REGION = 8,      /* waymark_event_region(): a border was crossed */
    WAYMARK_EVENT_REGIONS = 9,     /* waymark_event_record(): a list of regions */
    WAYMARK_EVENT_PATH = 10,       /* waymark_event_path(), waymark_event_interface() */
    WAYMARK_EVENT_TARGET = 11,     /* waymark_event_target() */
    WAYMARK_EVENT_PROTECTED_DATA = 12, /* waymark_event_protected_data() */
    WAYMARK_EVENT_LAUNCH_REASON = 13, /* waymark_event_launch_reason(), waymark_event_pending() */
    WAYMARK_EVENT_WAKE = 14,       /* waymark_event_wake(): something that wakes the app has happened */
    WAYMARK_EVENT_IDENTIFIER = 15, /* waymark_event_identifier() */
    WAYMARK_EVENT_TRACKING = 16    /* waymark_event_tracking() */
};

/* The kind of an event, enum waymark_event_type; 0 for NULL. */
WAYMARK_API int waymark_event_type(const waymark_event *event);

/* The call that reports it; 0 for NULL. */
WAYMARK_API waymark_call waymark_event_call(const waymark_event *event);

/* Why a call has ended or is interrupted: a negative errno value or enum waymark_error; 0 for every other event. */
WAYMARK_API int waymark_event_error(const waymark_event *event);

/* The error as a sentence of the daemon with the next step, for a person; "" for every other event. Never NULL. */
WAYMARK_API const char *waymark_event_message(const waymark_event *event);

/* The error's name in the daemon's interface, such as "io.waymark.Location.Denied"; "" if it has none. Never NULL. */
WAYMARK_API const char *waymark_event_error_name(const waymark_event *event);

/* Frees an event, and everything that its functions have returned. */
WAYMARK_API void waymark_event_free(waymark_event *event);

/* ---- Authorization -------------------------------------------------------------------------------------------- */

/* Whether the program may have positions. */
enum waymark_authorization_status {
    WAYMARK_AUTHORIZATION_NOT_DETERMINED = 0, /* nobody has decided */
    WAYMARK_AUTHORIZATION_RESTRICTED = 1,     /* a restriction forbids it */
    WAYMARK_AUTHORIZATION_DENIED = 2,
    WAYMARK_AUTHORIZATION_WHEN_IN_USE = 3,    /* while the app is in use */
    WAYMARK_AUTHORIZATION_ALWAYS = 4
};

/* The accuracy of positions: exact, or reduced to some kilometres. */
enum waymark_accuracy { WAYMARK_ACCURACY_FULL = 0, WAYMARK_ACCURACY_REDUCED = 1 };

/* Why there are no positions, or not the best ones: bits of `diagnostics`. Words of later daemons have no bit, and are in
 * `diagnostic_words` only. */
enum waymark_diagnostic {
    WAYMARK_DIAGNOSTIC_DENIED = 1 << 0,              /* authorizationDenied */
    WAYMARK_DIAGNOSTIC_DENIED_GLOBALLY = 1 << 1,     /* authorizationDeniedGlobally: location services are off */
    WAYMARK_DIAGNOSTIC_RESTRICTED = 1 << 2,          /* authorizationRestricted */
    WAYMARK_DIAGNOSTIC_NOT_IN_USE = 1 << 3,          /* insufficientlyInUse: allowed only while the app is in use */
    WAYMARK_DIAGNOSTIC_REQUEST_IN_PROGRESS = 1 << 4, /* authorizationRequestInProgress: a prompt is shown */
    WAYMARK_DIAGNOSTIC_ACCURACY_LIMITED = 1 << 5,    /* accuracyLimited: only reduced accuracy is allowed */
    WAYMARK_DIAGNOSTIC_LOCATION_UNAVAILABLE = 1 << 6, /* locationUnavailable, with one of the last seven */
    WAYMARK_DIAGNOSTIC_STATIONARY = 1 << 7,          /* stationary: the machine does not move */
    WAYMARK_DIAGNOSTIC_FULL_ACCURACY_DENIED = 1 << 8, /* fullAccuracyDenied */
    WAYMARK_DIAGNOSTIC_ALWAYS_DENIED = 1 << 9,       /* alwaysAuthorizationDenied */
    WAYMARK_DIAGNOSTIC_AGENT_UNAVAILABLE = 1 << 10,  /* agentUnavailable: no agent can show a prompt */
    WAYMARK_DIAGNOSTIC_MANIFEST_MISSING = 1 << 11,   /* manifestMissing: no manifest matches the program */
    WAYMARK_DIAGNOSTIC_NO_RECEIVER = 1 << 12,        /* noReceiver */
    WAYMARK_DIAGNOSTIC_RECEIVER_LOST = 1 << 13,      /* receiverLost: gpsd or its receiver cannot be reached */
    WAYMARK_DIAGNOSTIC_NO_FIX = 1 << 14,             /* noFix */
    WAYMARK_DIAGNOSTIC_NO_TIME = 1 << 15,            /* noTime: the receiver reports no date */
    WAYMARK_DIAGNOSTIC_STALE = 1 << 16,              /* stale: the receiver reports nothing */
    WAYMARK_DIAGNOSTIC_INACCURATE = 1 << 17,         /* inaccurate: less accurate than requested */
    WAYMARK_DIAGNOSTIC_REDUCED_UNAVAILABLE = 1 << 18 /* reducedUnavailable: no reduced positions on this machine */
};

typedef struct waymark_authorization {
    int32_t status;                      /* enum waymark_authorization_status */
    int32_t accuracy;                    /* enum waymark_accuracy */
    uint64_t diagnostics;                /* bits of enum waymark_diagnostic */
    const char *const *diagnostic_words; /* the same as words, ended by NULL; never NULL itself */
    const char *app;                     /* the app, by the name of its manifest; NULL if the program is none */
    const char *assurance;               /* how its identity is proved: socket, unit, user or program; or NULL */
    bool is_in_use;
} waymark_authorization;

/* The authorization of WAYMARK_EVENT_AUTHORIZATION; NULL for other events. */
WAYMARK_API const waymark_authorization *waymark_event_authorization(const waymark_event *event);

/* Queries the present authorization. Never shows a prompt. */
WAYMARK_API int waymark_get_authorization(waymark_client *client, waymark_call *call);

/* Reports the authorization now and after every change. */
WAYMARK_API int waymark_monitor_authorization(waymark_client *client, waymark_call *call);

/* Asks the person for positions while the app is in use. The event comes when the person has answered, which may take
 * minutes, or at once if no prompt is shown, for example because the app is not in use yet: `diagnostics` says why. Ending
 * the call does not withdraw the prompt. The manifest needs WhenInUseUsageDescription. */
WAYMARK_API int waymark_request_when_in_use(waymark_client *client, waymark_call *call);

/* The same for positions also while the app is not in use. Needs AlwaysAndWhenInUseUsageDescription as well. */
WAYMARK_API int waymark_request_always(waymark_client *client, waymark_call *call);

/* Asks for full accuracy until the app is no longer in use, for the purpose with this key in [TemporaryUsage] of the
 * manifest. */
WAYMARK_API int waymark_request_full_accuracy(waymark_client *client, const char *purpose_key, waymark_call *call);

/* ---- Use of the app ------------------------------------------------------------------------------------------- */

/* The person's use of the app. */
enum waymark_activity {
    WAYMARK_ACTIVITY_ACTIVE = 0,     /* it is in front */
    WAYMARK_ACTIVITY_INACTIVE = 1,   /* covered for a short time */
    WAYMARK_ACTIVITY_BACKGROUND = 2,
    WAYMARK_ACTIVITY_SUSPENDED = 3
};

/* Declares that the person uses the app so, until the call is ended; the app then counts as in the background, as without
 * a declaration. The most active of several declarations counts. Lasts over restarts. Each event is the authorization
 * with which the daemon has replied to the declaration: after the first one the app is in use, and a request shows a
 * prompt. */
WAYMARK_API int waymark_declare_activity(waymark_client *client, int activity, waymark_call *call);

/* Changes the declaration of an open call of waymark_declare_activity(). -ENOENT if the call is no such one. */
WAYMARK_API int waymark_change_activity(waymark_client *client, waymark_call call, int activity);

/* Keeps the app in use while it is in the background, until the call is ended: Core Location's
 * CLBackgroundActivitySession. Begins only while the app is in use, otherwise ends with WAYMARK_ERROR_NOT_IN_USE; the
 * event says that it has begun. It is shown to the person and recorded. */
WAYMARK_API int waymark_hold_in_use(waymark_client *client, waymark_call *call);

/* ---- Positions ------------------------------------------------------------------------------------------------ */

/* How the receiver determined a position. */
enum waymark_quality {
    WAYMARK_QUALITY_UNKNOWN = 0,
    WAYMARK_QUALITY_ORDINARY = 1,
    WAYMARK_QUALITY_DGPS = 2,
    WAYMARK_QUALITY_RTK_FIXED = 3,
    WAYMARK_QUALITY_RTK_FLOAT = 4,
    WAYMARK_QUALITY_DEAD_RECKONING = 5,
    WAYMARK_QUALITY_SURVEYED = 6
};

/* The clock of a timestamp. */
enum waymark_timestamp_source {
    WAYMARK_TIMESTAMP_RECEIVER = 0,
    WAYMARK_TIMESTAMP_SYSTEM_CLOCK = 1 /* this machine's, as the receiver reports no date */
};

typedef struct waymark_position {
    double timestamp;
    double latitude;
    double longitude;
    double horizontal_accuracy;  /* m; never 0 or NAN */
    double altitude;             /* m above mean sea level */
    double ellipsoidal_altitude; /* m above the WGS 84 ellipsoid */
    double vertical_accuracy;    /* m */
    double speed;                /* m/s over ground */
    double speed_accuracy;       /* m/s */
    double course;               /* degrees from true north, 0 up to but not including 360 */
    double course_accuracy;      /* degrees */
    double climb;                /* m/s, positive upwards */
    int32_t accuracy;            /* enum waymark_accuracy */
    int32_t quality;             /* enum waymark_quality */
    int32_t timestamp_source;    /* enum waymark_timestamp_source */
    bool is_simulated;           /* from a replay or a simulator */
} waymark_position;

/* What a monitor of positions reports beside the position. */
typedef struct waymark_update {
    int32_t authorization_status;        /* enum waymark_authorization_status */
    int32_t accuracy;                    /* enum waymark_accuracy: what the app may have */
    uint64_t diagnostics;                /* bits of enum waymark_diagnostic: why there is no position */
    const char *const *diagnostic_words; /* the same as words, ended by NULL; never NULL itself */
    uint64_t dropped;                    /* positions skipped directly before this one, as they were not read in time */
    bool is_stationary;                  /* the machine does not move */
} waymark_update;

/* The position of WAYMARK_EVENT_POSITION; NULL for other events, and for an update that says why there is none. */
WAYMARK_API const waymark_position *waymark_event_position(const waymark_event *event);

/* The rest of WAYMARK_EVENT_POSITION of a monitor; NULL for other events. */
WAYMARK_API const waymark_update *waymark_event_update(const waymark_event *event);

/* The app's kind of movement: how long the machine has to be stationary before positions pause. */
enum waymark_activity_type {
    WAYMARK_ACTIVITY_TYPE_OTHER = 0,
    WAYMARK_ACTIVITY_TYPE_AUTOMOTIVE_NAVIGATION = 1,
    WAYMARK_ACTIVITY_TYPE_FITNESS = 2,
    WAYMARK_ACTIVITY_TYPE_OTHER_NAVIGATION = 3,
    WAYMARK_ACTIVITY_TYPE_AIRBORNE = 4
};

/* Bits of waymark_monitor_options.flags. */
enum waymark_monitor_flag {
    WAYMARK_MONITOR_FIRST_REPORT = 1 << 0,        /* do not wait for the fuller report of the same position */
    WAYMARK_MONITOR_SIGNIFICANT_CHANGES = 1 << 1, /* only after 500 m and 300 s */
    WAYMARK_MONITOR_PAUSES = 1 << 2               /* pause while the machine is stationary */
};

/* Which positions are reported. A negative number is the default. */
typedef struct waymark_monitor_options {
    size_t size;             /* sizeof(waymark_monitor_options), which WAYMARK_MONITOR_OPTIONS_INIT sets */
    double desired_accuracy; /* m: none that are less accurate; default any, at most 40,000,000 */
    double distance_filter;  /* m from the last one; default any, at most 40,000,000 */
    double interval;         /* s after the last one; default any, at most 86,400 */
    double maximum_delay;    /* s for which updates may be collected and sent together; default none, at most 86,400 */
    int32_t activity_type;   /* enum waymark_activity_type */
    uint32_t flags;          /* bits of enum waymark_monitor_flag */
} waymark_monitor_options;

#define WAYMARK_MONITOR_OPTIONS_INIT { sizeof(waymark_monitor_options), -1, -1, -1, -1, WAYMARK_ACTIVITY_TYPE_OTHER, 0 }

/* Reports an update at once, then every position that is due, and every change of the reason why there is none. Ends
 * with an error if the program is not authorized, or no longer. `options` NULL for every position. */
WAYMARK_API int waymark_monitor_positions(
    waymark_client *client, const waymark_monitor_options *options, waymark_call *call);

/* Which position is reported. A negative number is the default. */
typedef struct waymark_position_options {
    size_t size;             /* sizeof(waymark_position_options), which WAYMARK_POSITION_OPTIONS_INIT sets */
    double desired_accuracy; /* m; default any, at most 40,000,000 */
    double maximum_age;      /* s; default 10, at most 86,400 */
    double timeout;          /* s to wait; default 30, at most 600 */
} waymark_position_options;

#define WAYMARK_POSITION_OPTIONS_INIT { sizeof(waymark_position_options), -1, -1, -1 }

/* Reports one position, or ends with the error that says why there is none. `options` may be NULL. */
WAYMARK_API int waymark_get_position(
    waymark_client *client, const waymark_position_options *options, waymark_call *call);

/* The direction in which the machine points, from a compass. */
typedef struct waymark_heading {
    double timestamp;
    double true_heading;     /* degrees from true north, 0 up to but not including 360 */
    double magnetic_heading; /* degrees from magnetic north */
    double accuracy;         /* degrees */
    double declination;      /* degrees by which magnetic north is east of true north */
    double pitch;            /* degrees, positive with the bow up */
    double roll;             /* degrees, positive with the right side down */
    bool is_simulated;
} waymark_heading;

/* The heading of WAYMARK_EVENT_HEADING; NULL for other events. */
WAYMARK_API const waymark_heading *waymark_event_heading(const waymark_event *event);

/* Reports the heading now and whenever it has changed by this many degrees, at most 180; negative for the default, 1. */
WAYMARK_API int waymark_monitor_headings(waymark_client *client, double filter, waymark_call *call);

/* A stay of five minutes or more at one place. */
typedef struct waymark_visit {
    double latitude;
    double longitude;
    double horizontal_accuracy;
    double arrival;   /* NAN if the stay began before it was observed */
    double departure; /* NAN while it lasts */
    bool is_simulated;
} waymark_visit;

/* The visit of WAYMARK_EVENT_VISIT; NULL for other events. */
WAYMARK_API const waymark_visit *waymark_event_visit(const waymark_event *event);

/* Reports the places where the machine stays: those that have ended since a time, negative for none, then each when it
 * has lasted five minutes and again when it has ended. */
WAYMARK_API int waymark_monitor_visits(waymark_client *client, double since, waymark_call *call);

/* ---- Regions -------------------------------------------------------------------------------------------------- */

/* Degrees north and east. This structure never changes. */
typedef struct waymark_point {
    double latitude;
    double longitude;
} waymark_point;

/* The shape of a region. */
enum waymark_shape {
    WAYMARK_SHAPE_CIRCLE = 1,  /* all within `radius`, 1 m to 5,000 km, of one point */
    WAYMARK_SHAPE_POLYGON = 2, /* all within the first ring and within none of the others */
    WAYMARK_SHAPE_CORRIDOR = 3 /* all within `radius`, 1 m to 1,000 km, of the line through the points */
};

/* A region to add. The library copies everything; nothing has to stay valid after the call. */
typedef struct waymark_region {
    size_t size;                 /* sizeof(waymark_region), which WAYMARK_REGION_INIT sets */
    const char *identifier;      /* 1 to 128 bytes, unique in its monitor */
    int32_t shape;               /* enum waymark_shape */
    const waymark_point *points; /* one for a circle, otherwise at most 10,000 */
    size_t point_count;
    const size_t *ring_sizes;    /* polygon: the numbers of points of its rings, whose sum is point_count */
    size_t ring_count;           /* polygon: the number of rings; 0 for one ring of all points */
    double radius;               /* m: circle, corridor */
    double dwell;                /* s that a stay has to last before it is reported; negative for at once */
    double loitering;            /* s of a stay after which it is reported once more; negative for never */
} waymark_region;

#define WAYMARK_REGION_INIT { sizeof(waymark_region), NULL, WAYMARK_SHAPE_CIRCLE, NULL, 0, NULL, 0, -1, -1, -1 }

/* Adds 1 to 1,000 regions to the app's monitor of this name, all or none of them, and replaces those with the same
 * identifiers. Has ended with 0 when they are durable. Regions are monitored whether or not the program runs. */
WAYMARK_API int waymark_add_regions(
    waymark_client *client, const char *monitor, const waymark_region *const *regions, size_t count, waymark_call *call);

/* Removes regions, or with `identifiers` NULL the monitor with all its regions and events. Regions that do not exist are
 * ignored. */
WAYMARK_API int waymark_remove_regions(
    waymark_client *client, const char *monitor, const char *const *identifiers, size_t count, waymark_call *call);

/* Whether the machine is in a region. */
enum waymark_region_state { WAYMARK_STATE_UNKNOWN = 0, WAYMARK_STATE_INSIDE = 1, WAYMARK_STATE_OUTSIDE = 2 };

/* A region of a monitor, and what is known about it. */
typedef struct waymark_region_record {
    const char *identifier;
    int32_t shape;               /* enum waymark_shape; 0 for a shape of a later release, which has no points */
    int32_t state;               /* enum waymark_region_state */
    const char *reason;          /* why the state is unknown, a word such as "undetermined"; otherwise NULL */
    double since;                /* the time of the fix that decided, or when the state became unknown */
    const waymark_point *points; /* as in waymark_region */
    size_t point_count;
    const size_t *ring_sizes;
    size_t ring_count;
    double radius;
    double dwell;     /* NAN for at once */
    double loitering; /* NAN for never */
} waymark_region_record;

/* Reports the regions of a monitor in the order of their identifiers, in one event: those after an identifier, NULL for
 * the first ones, at most 200. */
WAYMARK_API int waymark_get_regions(
    waymark_client *client, const char *monitor, const char *after, waymark_call *call);

/* The number of regions in WAYMARK_EVENT_REGIONS; 0 for other events. */
WAYMARK_API size_t waymark_event_record_count(const waymark_event *event);

/* The region with this index, from 0; NULL if there is none. */
WAYMARK_API const waymark_region_record *waymark_event_record(const waymark_event *event, size_t index);

/* Whether no region follows the last one of WAYMARK_EVENT_REGIONS; true for other events. */
WAYMARK_API bool waymark_event_is_complete(const waymark_event *event);

/* What happened at a border. */
enum waymark_region_event_kind {
    WAYMARK_REGION_OTHER = 0,      /* a word of a later daemon: `kind_word` */
    WAYMARK_REGION_DETERMINED = 1, /* `state` is known for the first time since it was unknown */
    WAYMARK_REGION_ENTERED = 2,
    WAYMARK_REGION_LEFT = 3,
    WAYMARK_REGION_LOITERED = 4,   /* the machine has been inside for the loitering time */
    WAYMARK_REGION_UNKNOWN = 5,    /* `reason` says why it is not known any more */
    WAYMARK_REGION_OVERFLOWED = 6  /* `lost` events were dropped, as too many were not acknowledged */
};

typedef struct waymark_region_event {
    int64_t sequence;       /* 1, 2, 3 ... in its monitor */
    const char *identifier; /* of the region; NULL for WAYMARK_REGION_OVERFLOWED */
    int32_t kind;           /* enum waymark_region_event_kind */
    int32_t state;          /* enum waymark_region_state: whether the machine is in the region now */
    const char *kind_word;  /* the kind as a word */
    const char *reason;     /* or NULL */
    double time;            /* of the fix that decided, or when the state became unknown */
    double crossed;         /* when the border was crossed, interpolated between two fixes */
    double latitude;        /* the position of that fix; NAN if no fix decided */
    double longitude;
    double horizontal_accuracy; /* m */
    int64_t lost;
    bool passed_through;    /* the machine passed through the region between two fixes */
    bool is_simulated;
} waymark_region_event;

/* The event of WAYMARK_EVENT_REGION; NULL for other events. */
WAYMARK_API const waymark_region_event *waymark_event_region(const waymark_event *event);

/* Reports the events of a monitor that are not acknowledged, or with `after` not negative every stored event with a
 * larger number, and then each new one. None is omitted or repeated while the call is open, also over restarts of the
 * daemon. Needs full accuracy. */
WAYMARK_API int waymark_monitor_regions(
    waymark_client *client, const char *monitor, int64_t after, waymark_call *call);

/* Confirms every event up to this number, which the daemon then erases: to be called when the program has handled them.
 * Until then they are reported again after a restart of the program. */
WAYMARK_API int waymark_acknowledge(
    waymark_client *client, const char *monitor, int64_t sequence, waymark_call *call);

/* ---- Network -------------------------------------------------------------------------------------------------- */

/* How the network, or a host, can be reached. */
enum waymark_reachability {
    WAYMARK_REACHABILITY_UNKNOWN = 0,            /* of a host: no name server or no kernel replies */
    WAYMARK_REACHABILITY_REACHABLE = 1,          /* the kernel has a usable route; of a path "satisfied" */
    WAYMARK_REACHABILITY_REQUIRES_CONNECTION = 2, /* there is a route without a carrier or an address yet */
    WAYMARK_REACHABILITY_UNREACHABLE = 3
};

/* The route from this machine to the rest of the world. */
typedef struct waymark_path {
    int32_t status;              /* enum waymark_reachability */
    const char *reason;          /* why not reachable, a word such as "noRoute"; otherwise NULL */
    size_t interface_count;      /* see waymark_event_interface() */
    const char *const *gateways; /* addresses, ended by NULL; never NULL itself */
    int64_t generation;          /* counts changes; an interruption after which all is the same again counts two */
    bool supports_ipv4;
    bool supports_ipv6;
    bool supports_dns;
    bool is_expensive;
    bool is_constrained;
    bool is_ultra_constrained;
} waymark_path;

/* The kind of a network interface. */
enum waymark_interface_kind {
    WAYMARK_INTERFACE_OTHER = 0,
    WAYMARK_INTERFACE_WIRED = 1,
    WAYMARK_INTERFACE_WIFI = 2,
    WAYMARK_INTERFACE_CELLULAR = 3,
    WAYMARK_INTERFACE_VPN = 4,
    WAYMARK_INTERFACE_BRIDGE = 5,
    WAYMARK_INTERFACE_LOOPBACK = 6
};

typedef struct waymark_interface {
    const char *name;
    int32_t index; /* as of if_nametoindex() */
    int32_t kind;  /* enum waymark_interface_kind */
    bool is_expensive;
    bool is_constrained;
    bool is_ultra_constrained;
} waymark_interface;

/* Whether, and over which route, one host can be reached. */
typedef struct waymark_target {
    const char *host;
    int32_t port;        /* 0 for none */
    int32_t status;      /* enum waymark_reachability */
    const char *reason;  /* why not reachable, a word; otherwise NULL */
    const char *finding; /* what an attempt has reported: "captive", "limited"; otherwise NULL */
    const char *address; /* the best of its addresses, which the following members are about; or NULL */
    const char *source;  /* the source address that the kernel would use; or NULL */
    const char *gateway; /* the router; or NULL */
    int64_t generation;  /* counts changes, as that of a path */
    bool is_direct;      /* on this machine's own network */
    bool is_local;       /* this machine itself */
    bool is_expensive;
    bool is_constrained;
    bool is_suspect;     /* it has a route, but the last three attempts that were reported failed */
} waymark_target;

/* The path of WAYMARK_EVENT_PATH; NULL for other events. */
WAYMARK_API const waymark_path *waymark_event_path(const waymark_event *event);

/* The host of WAYMARK_EVENT_TARGET; NULL for other events. */
WAYMARK_API const waymark_target *waymark_event_target(const waymark_event *event);

/* An interface of WAYMARK_EVENT_PATH, the one in use first, or with index 0 that of WAYMARK_EVENT_TARGET; NULL if there
 * is none. */
WAYMARK_API const waymark_interface *waymark_event_interface(const waymark_event *event, size_t index);

/* Reports the path once. Every program may call this and the following functions. */
WAYMARK_API int waymark_get_path(waymark_client *client, waymark_call *call);

/* Reports the path now and after every change. */
WAYMARK_API int waymark_monitor_path(waymark_client *client, waymark_call *call);

/* Reports once whether a host, a name or an address, can be reached. `port` 0 for none. Waits up to 5 s for name
 * servers. */
WAYMARK_API int waymark_get_target(waymark_client *client, const char *host, uint16_t port, waymark_call *call);

/* The same now and after every change. */
WAYMARK_API int waymark_monitor_target(waymark_client *client, const char *host, uint16_t port, waymark_call *call);

/* The outcome of an attempt to reach a host. */
enum waymark_outcome {
    WAYMARK_OUTCOME_ANSWERED = 0,
    WAYMARK_OUTCOME_FAILED = 1,
    WAYMARK_OUTCOME_CAPTIVE = 2, /* a portal responds in place of the host */
    WAYMARK_OUTCOME_LIMITED = 3  /* the network has no connection to the internet */
};

/* Reports the outcome of an attempt. After three failures in a row the host is suspect for programs of the same user,
 * until it answers or the path changes. */
WAYMARK_API int waymark_report_target(
    waymark_client *client, const char *host, uint16_t port, int outcome, waymark_call *call);

/* ---- Data protection ------------------------------------------------------------------------------------------ */

/* Whether protected data, such as recorded positions, can be read. It is locked and unlocked by the person in charge of the
 * machine, with `waymark protection`; without a passphrase it is always available. After a start of the daemon it is
 * unavailable until somebody unlocks it. */
enum waymark_protected_data_state {
    WAYMARK_PROTECTED_DATA_UNAVAILABLE = 0,
    WAYMARK_PROTECTED_DATA_AVAILABLE = 1,
    WAYMARK_PROTECTED_DATA_BECOMING_UNAVAILABLE = 2 /* available until `unavailable_at`, 10 s after the announcement */
};

typedef struct waymark_protected_data {
    int32_t state;         /* enum waymark_protected_data_state */
    double unavailable_at; /* s of CLOCK_MONOTONIC, when the daemon erases the keys; NAN unless that was announced */
} waymark_protected_data;

/* The state of WAYMARK_EVENT_PROTECTED_DATA; NULL for other events. */
WAYMARK_API const waymark_protected_data *waymark_event_protected_data(const waymark_event *event);

/* Reports once whether protected data can be read. Every program may call this and the following function. */
WAYMARK_API int waymark_get_protected_data(waymark_client *client, waymark_call *call);

/* Reports the state now and after every change: each event differs from the one before, also over a restart of the daemon.
 * After WAYMARK_EVENT_RESUMED without a further event the state is the same. */
WAYMARK_API int waymark_monitor_protected_data(waymark_client *client, waymark_call *call);

/* ---- Waking --------------------------------------------------------------------------------------------------- */

/* What wakes an app. The manifest says which of these may, in [Wake] For=. */
enum waymark_cause {
    WAYMARK_CAUSE_NONE = 0,               /* of waymark_launch_reason: the app was not woken */
    WAYMARK_CAUSE_REGIONS = 1,            /* something at the border of a region, see waymark_add_regions() */
    WAYMARK_CAUSE_VISITS = 2,             /* the machine has stayed somewhere, or has left the place of a stay */
    WAYMARK_CAUSE_SIGNIFICANT_CHANGE = 3, /* the machine has moved by more than half a kilometre */
    WAYMARK_CAUSE_PATH = 4,               /* the route to the rest of the world is back */
    WAYMARK_CAUSE_TARGET = 5,             /* a host can be reached again */
    WAYMARK_CAUSE_PUSH = 6,               /* another machine has changed records of a container of the app */
    WAYMARK_CAUSE_OTHER = 7               /* a word of a later daemon: `cause_word` */
};

/* Why the program runs. */
typedef struct waymark_launch_reason {
    bool is_woken;          /* the daemon had it started or thawed; otherwise it was started by itself or by a person */
    int32_t cause;          /* enum waymark_cause: what it was woken for; WAYMARK_CAUSE_NONE if it was not woken */
    const char *cause_word; /* the cause as a word; NULL if it was not woken */
    size_t pending_count;   /* see waymark_event_pending() */
    bool is_after_forced_quit; /* it was started by itself or by a person, after a person had forced it to quit: it should
                                  start without its last state */
} waymark_launch_reason;

/* Events of one kind that the app has not acknowledged. */
typedef struct waymark_pending {
    int32_t cause;          /* enum waymark_cause */
    const char *cause_word; /* the cause as a word */
    const char *monitor;    /* of regions: the monitor, whose events waymark_monitor_regions() reports; otherwise NULL */
    const char *container;  /* of a push: the container whose records have changed; otherwise NULL */
    int64_t first;          /* the number of the first of them, in the monitor for regions, otherwise of the app */
} waymark_pending;

/* The reason of WAYMARK_EVENT_LAUNCH_REASON; NULL for other events. */
WAYMARK_API const waymark_launch_reason *waymark_event_launch_reason(const waymark_event *event);

/* The pending events of WAYMARK_EVENT_LAUNCH_REASON with this index, from 0, in the order of enum waymark_cause; each
 * monitor and each container has an index of its own. NULL if there are none. */
WAYMARK_API const waymark_pending *waymark_event_pending(const waymark_event *event, size_t index);

/* Reports once why the program runs, and which events are pending. To be called first by a program that is woken, and
 * again until nothing is pending: then it may end, and is started by the next event. Nothing is lost between: an event
 * that comes after the reply wakes the program again. Calls that were made before do not change the reply. */
WAYMARK_API int waymark_get_launch_reason(waymark_client *client, waymark_call *call);

/* Has the app woken for visits, significant changes, the path or a host from now on, also after restarts of the app and
 * the machine. Has ended with 0 when that is durable; once more changes nothing. `host` is a name or an address for
 * WAYMARK_CAUSE_TARGET, and NULL for other causes; `port` 0 for none. Regions and pushes need no such request: regions
 * wake the app when they are added, pushes by [Wake] and Containers= of the manifest. */
WAYMARK_API int waymark_request_wakes(
    waymark_client *client, int cause, const char *host, uint16_t port, waymark_call *call);

/* Withdraws such a request, and erases its events. Has ended with 0 when that is durable. */
WAYMARK_API int waymark_withdraw_wakes(
    waymark_client *client, int cause, const char *host, uint16_t port, waymark_call *call);

/* Something that wakes the app and has happened. Events of regions are no such events, see waymark_monitor_regions().
 * It contains no position. */
typedef struct waymark_wake {
    int64_t sequence;       /* 1, 2, 3 ... for the app */
    int32_t cause;          /* enum waymark_cause */
    const char *cause_word; /* the cause as a word */
    const char *host;       /* of a target; otherwise NULL */
    int32_t port;           /* of a target; 0 for none */
    const char *container;  /* of a push: the container; otherwise NULL. The changes are in the copy of this machine */
    double time;            /* when it happened */
} waymark_wake;

/* The event of WAYMARK_EVENT_WAKE; NULL for other events. */
WAYMARK_API const waymark_wake *waymark_event_wake(const waymark_event *event);

/* Reports the events of the app in order: those that are not acknowledged, or with `after` not negative those with a larger
 * number, and then each new one. None is omitted or repeated while the call is open, also over restarts of the daemon. Of
 * a container, a later push replaces an earlier one that is not acknowledged. */
WAYMARK_API int waymark_monitor_wakes(waymark_client *client, int64_t after, waymark_call *call);

/* Confirms every event up to this number, of whatever cause, which the daemon then erases: to be called when the program
 * has handled them, in their order. Until then they are reported again, and wake the program again when it has ended. */
WAYMARK_API int waymark_acknowledge_wakes(waymark_client *client, int64_t sequence, waymark_call *call);

/* ---- Identifiers ---------------------------------------------------------------------------------------------- */

/* An identifier by which apps recognize the same installation, person or account without knowing more. */
typedef struct waymark_identifier {
    const char *identifier; /* a UUID in lower case; of advertising with all digits 0 unless tracking is authorized */
    const char *vendor;     /* of waymark_get_identifier_for_vendor(): the name of the vendor; otherwise NULL */
} waymark_identifier;

/* Whether the app may track the person across other companies' apps and websites. */
enum waymark_tracking_status {
    WAYMARK_TRACKING_NOT_DETERMINED = 0, /* nobody has decided */
    WAYMARK_TRACKING_RESTRICTED = 1,     /* a restriction forbids it */
    WAYMARK_TRACKING_DENIED = 2,
    WAYMARK_TRACKING_AUTHORIZED = 3
};

/* Why a request was not shown to the person. */
enum waymark_tracking_obstacle {
    WAYMARK_TRACKING_OBSTACLE_NONE = 0,               /* there is a decision, or the person has closed the prompt */
    WAYMARK_TRACKING_OBSTACLE_NOT_IN_USE = 1,         /* declare the activity first, and ask again */
    WAYMARK_TRACKING_OBSTACLE_AGENT_UNAVAILABLE = 2,  /* no agent can show it: an operator, or a later agent, answers */
    WAYMARK_TRACKING_OBSTACLE_REQUESTED_TOO_OFTEN = 3,
    WAYMARK_TRACKING_OBSTACLE_OTHER = 4               /* a word of a later daemon: `obstacle_word` */
};

typedef struct waymark_tracking {
    int32_t status;            /* enum waymark_tracking_status */
    int32_t obstacle;          /* enum waymark_tracking_obstacle, of a request */
    const char *obstacle_word; /* the same as a word; NULL for none */
} waymark_tracking;

/* The identifier of WAYMARK_EVENT_IDENTIFIER; NULL for other events. */
WAYMARK_API const waymark_identifier *waymark_event_identifier(const waymark_event *event);

/* The status of WAYMARK_EVENT_TRACKING, and of the WAYMARK_EVENT_IDENTIFIER of waymark_get_advertising_identifier(); NULL
 * for other events. */
WAYMARK_API const waymark_tracking *waymark_event_tracking(const waymark_event *event);

/* Reports once the identifier that all apps of the app's vendor share, for this user and machine: Vendor= of the manifest, and
 * without it the app itself. It is durable before the event. Nobody is asked, and no authorization is needed. It is to be
 * queried each time rather than stored, because a person may reset it. */
WAYMARK_API int waymark_get_identifier_for_vendor(waymark_client *client, waymark_call *call);

/* Reports once whether the app may track the person. Never shows a prompt. */
WAYMARK_API int waymark_get_tracking_authorization(waymark_client *client, waymark_call *call);

/* Asks the person whether the app may track. The event comes when the person has answered, which may take minutes, or at once if
 * no prompt is shown: `obstacle` says why. The person is asked once. Ending the call does not withdraw the prompt. The
 * manifest needs UserTrackingUsageDescription. */
WAYMARK_API int waymark_request_tracking_authorization(waymark_client *client, waymark_call *call);

/* Reports once the advertising identifier, which all apps of the user share that may track; all digits are 0 unless the app
 * may. To be queried each time: it ends with the authorization, and a person may reset it. */
WAYMARK_API int waymark_get_advertising_identifier(waymark_client *client, waymark_call *call);

/* Reports once the identifier of the account that the machine has joined for records: the same on all machines of the account,
 * and another one for each container, so that apps of different containers cannot compare theirs. `container` NULL for the
 * first one of the manifest.
 *
 * waymark-sync answers it, at a socket of its own: `socket_path`, with NULL at WAYMARK_SYNC_SOCKET in the environment, otherwise
 * at that of the person, or for root that of the machine. The daemon need not run. */
WAYMARK_API int waymark_get_account_identifier(
    waymark_client *client, const char *socket_path, const char *container, waymark_call *call);

#ifdef __cplusplus
}
#endif

#endif
