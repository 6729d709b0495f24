// A minimal listener to the kernel: one socket, one buffer, no parsing. No program that uses netlink can be notified
// sooner. With an argument it requests short time slices on the processor, as waymarkd does.
#include "arrivals.h"
#include "turns.h"
#include <errno.h>
#include <linux/rtnetlink.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

static volatile sig_atomic_t ends;
static void end(int number) { ends = number; }

int main(int count, char **arguments) {
    struct sockaddr_nl address = {.nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE
            | RTMGRP_IPV4_RULE | RTMGRP_NEIGH};
    // Without SA_RESTART: the signal interrupts recv.
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGTERM, &action, NULL);
    int socket_ = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (socket_ < 0 || bind(socket_, (struct sockaddr *)&address, sizeof address) < 0) {
        perror("netlink-reader");
        return 1;
    }
    (void)arguments;
    if (count > 1) short_turns();
    say_ready();
    static char buffer[32768];
    while (!ends) {
        if (recv(socket_, buffer, sizeof buffer, 0) > 0) arrived();
        else if (errno != EINTR && errno != ENOBUFS) break;
    }
    return print_arrivals();
}
