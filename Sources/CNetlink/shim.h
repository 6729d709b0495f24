#ifndef WAYMARK_CNETLINK_H
#define WAYMARK_CNETLINK_H

#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/filter.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/netconf.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/// The most messages that waymark_netlink_receive takes at once.
enum { waymark_netlink_batch = 16 };

/// What is known of a message that was received.
struct waymark_netlink_received {
    /// How many of its bytes are in the buffer.
    uint32_t length;
    /// The port it came from: 0 for the kernel.
    uint32_t sender;
    /// Whether it had more bytes than fit.
    uint32_t is_truncated;
};

/// Receives up to `count` messages without waiting, each into `stride` bytes of the buffer: how many, or -1 with errno.
/// recvmmsg(2), which the headers show only to _GNU_SOURCE.
static inline int waymark_netlink_receive(
    int socket_, void *buffer, size_t stride, struct waymark_netlink_received *received, unsigned count) {
    struct { struct msghdr header; unsigned length; } messages[waymark_netlink_batch];
    struct iovec pieces[waymark_netlink_batch];
    struct sockaddr_nl senders[waymark_netlink_batch];
    if (count > waymark_netlink_batch) count = waymark_netlink_batch;
    memset(messages, 0, sizeof messages[0] * count);
    for (unsigned i = 0; i < count; i++) {
        pieces[i].iov_base = (char *)buffer + stride * i;
        pieces[i].iov_len = stride;
        messages[i].header.msg_name = &senders[i];
        messages[i].header.msg_namelen = sizeof senders[i];
        messages[i].header.msg_iov = &pieces[i];
        messages[i].header.msg_iovlen = 1;
    }
    int result = (int)syscall(SYS_recvmmsg, socket_, messages, count, MSG_DONTWAIT, NULL);
    for (int i = 0; i < result; i++) {
        received[i].length = messages[i].length;
        received[i].sender = messages[i].header.msg_namelen >= sizeof senders[i] ? senders[i].nl_pid : ~0u;
        received[i].is_truncated = (messages[i].header.msg_flags & MSG_TRUNC) != 0;
    }
    return result;
}

#endif
