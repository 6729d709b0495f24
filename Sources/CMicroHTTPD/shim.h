#ifndef WAYMARK_CMICROHTTPD_H
#define WAYMARK_CMICROHTTPD_H
#include <microhttpd.h>

/// MHD_start_daemon, which is variadic and so cannot be called from Swift: a server without threads of its own, on a
/// socket that already listens. The library calls `started` with the request line's target, undecoded, `answer` after the
/// headers of each request, for each piece of its body and at the end of the body, and `completed` when the request has
/// been answered or has failed. `identity` is a certificate with its private key in PEM for a server with TLS, or NULL; it
/// is parsed before this function returns. `of_address` is the most connections from one address, 0 for no limit, and
/// `head_bytes` the memory for the head of a request.
static inline struct MHD_Daemon *waymark_http_start(
    int socket, const char *identity, unsigned int connections, unsigned int of_address, unsigned int idle_seconds,
    size_t head_bytes, void *(*started)(void *, const char *, struct MHD_Connection *), MHD_AccessHandlerCallback answer, MHD_RequestCompletedCallback completed, void *context) {
    struct MHD_OptionItem secured[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)identity},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)identity},
        {MHD_OPTION_END, 0, NULL},
    };
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (identity ? MHD_USE_TLS : 0), 0, NULL, NULL, answer, context,
        MHD_OPTION_ARRAY, identity ? secured : secured + 2,
        MHD_OPTION_LISTEN_SOCKET, socket,
        MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, of_address,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, head_bytes,
        MHD_OPTION_URI_LOG_CALLBACK, started, context,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_END);
}

/// MHD_get_daemon_info, which is variadic: the server's epoll(7) descriptor, readable whenever the server has work to
/// do, or -1.
static inline int waymark_http_descriptor(struct MHD_Daemon *server) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

/// The number of open connections of a server. MHD_get_daemon_info.
static inline unsigned int waymark_http_connections(struct MHD_Daemon *server) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    return info ? info->num_connections : 0;
}

/// The socket of a connection, or -1. MHD_get_connection_info, which is variadic.
static inline int waymark_http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/// Calls `each` for the names and values of a request's headers. MHD_get_connection_values.
static inline void waymark_http_headers(
    struct MHD_Connection *connection, MHD_KeyValueIterator each, void *context) {
    MHD_get_connection_values(connection, MHD_HEADER_KIND, each, context);
}

/// A response whose body is a copy of these bytes. MHD_create_response_from_buffer.
static inline struct MHD_Response *waymark_http_response(const void *bytes, size_t count) {
    return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}
#endif
