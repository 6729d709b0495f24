// A minimal relay between the kernel and a client: it reads a message and sends the client of its Unix socket as
// many bytes as waymarkd's report of a loss. No daemon can notify a client sooner. It requests short time slices, as
// waymarkd does.
#include "turns.h"
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { reply_bytes = 262 };

static int failed(const char *what) {
    perror(what);
    return 1;
}

int main(int count, char **arguments) {
    struct sockaddr_nl address = {.nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE
            | RTMGRP_IPV4_RULE | RTMGRP_NEIGH};
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    if (count != 2 || strlen(arguments[1]) >= sizeof place.sun_path) return 2;
    strcpy(place.sun_path, arguments[1]);
    int kernel = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (kernel < 0 || bind(kernel, (struct sockaddr *)&address, sizeof address) < 0) return failed("listen to the kernel");
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&place, sizeof place) < 0 || listen(listener, 1) < 0)
        return failed(arguments[1]);
    short_turns();
    puts("ready");
    fflush(stdout);
    int client = accept(listener, NULL, NULL);
    if (client < 0) return failed("accept");
    static char reply[reply_bytes], buffer[32768];
    do {
        // The first message reports that it listens, as waymarkd's first reply does.
        if (send(client, reply, sizeof reply, MSG_NOSIGNAL) < 0) return 0;
        while (recv(kernel, buffer, sizeof buffer, 0) < 0)
            if (errno != EINTR && errno != ENOBUFS) return failed("recv");
    } while (1);
}
