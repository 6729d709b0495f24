#ifndef WAYMARK_CCURL_H
#define WAYMARK_CCURL_H
#include <curl/curl.h>

// Swift cannot call the variadic functions curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt. This header has
// one function for each type of value. The type-checking macros of the same names need a constant option, so they are
// undefined.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

/// curl_easy_setopt for an option that takes a number.
static inline CURLcode waymark_curl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

/// curl_easy_setopt for an option that takes a size.
static inline CURLcode waymark_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

/// curl_easy_setopt for a string, which libcurl copies, or for a pointer, which it stores.
static inline CURLcode waymark_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}

/// curl_easy_setopt for a block of bytes, which libcurl does not copy: it must live as long as the handle.
static inline CURLcode waymark_curl_set_bytes(CURL *handle, CURLoption option, void *bytes, size_t count) {
    struct curl_blob blob = {bytes, count, CURL_BLOB_NOCOPY};
    return curl_easy_setopt(handle, option, &blob);
}

/// Sets the functions that libcurl calls with each header line and with each piece of the body of a response.
static inline void waymark_curl_set_collectors(
    CURL *handle, curl_write_callback head, curl_write_callback body, void *context) {
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, head);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}

/// curl_easy_getinfo for a value of type long; 0 where the value is unknown.
static inline long waymark_curl_number(CURL *handle, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

/// curl_easy_getinfo for a time in microseconds; 0 where the time is unknown.
static inline curl_off_t waymark_curl_microseconds(CURL *handle, CURLINFO info) {
    curl_off_t value = 0;
    return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

/// The socket of the connection that the last transfer of a handle used and that is still open for reuse,
/// CURLINFO_ACTIVESOCKET(3); -1 when that connection is closed.
static inline int waymark_curl_connection(CURL *handle) {
    curl_socket_t socket = CURL_SOCKET_BAD;
    return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK ? socket : CURL_SOCKET_BAD;
}

/// curl_multi_setopt for an option that takes a number.
static inline CURLMcode waymark_curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

/// Sets the functions by which libcurl reports the sockets to watch and the time of its next call; a null context comes
/// with null functions, which removes them.
static inline void waymark_curl_multi_set_callbacks(
    CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *context) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

/// Sets the function that opens the sockets for the transfers of a handle, CURLOPT_OPENSOCKETFUNCTION(3).
static inline void waymark_curl_set_opener(CURL *handle, curl_opensocket_callback opener, void *context) {
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, opener);
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
}

/// The default directory of trusted certificate authorities in this build of libcurl; NULL for none.
static inline const char *waymark_curl_authority_folder(void) { return curl_version_info(CURLVERSION_NOW)->capath; }

/// The next handle whose transfer has ended, with the transfer's result, curl_multi_info_read(3); NULL for none.
static inline CURL *waymark_curl_next_done(CURLM *multi, CURLcode *result) {
    int left;
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}
#endif
