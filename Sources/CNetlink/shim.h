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

/// The largest number of messages that one call of waymark_netlink_receive receives.
enum { waymark_netlink_batch = 16 };

/// The length and the sender of a received message.
struct waymark_netlink_received {
    /// The number of bytes of the message in the buffer.
    uint32_t length;
    /// The netlink port of the sender: 0 for the kernel, all ones when the sender is unknown.
    uint32_t sender;
    /// Whether the message was longer than its part of the buffer.
    uint32_t is_truncated;
};

/// Receives up to `count` messages without waiting, each into its own `stride` bytes of the buffer. Returns their
/// number, or -1 with errno. It calls recvmmsg(2), which the headers declare only with _GNU_SOURCE, by its system call
/// number.
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
