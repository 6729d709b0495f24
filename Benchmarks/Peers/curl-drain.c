// A plain client of libcurl: one request after the other over one connection, each of which needs a response of 2xx.
// It sends the header fields that it is given, so that the server has the same to read as from an uploader.
//
//   curl-drain URL BODIES COUNT AUTHORITIES|- [HEADER...]
#include "bodies.h"
#include <curl/curl.h>

static size_t forget(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes; (void)context;
    return size * count;
}

int main(int count, char **arguments) {
    if (count < 5) {
        fprintf(stderr, "usage: curl-drain URL BODIES COUNT AUTHORITIES|- [HEADER...]\n");
        return 2;
    }
    struct bodies bodies = read_bodies(arguments[2]);
    long left = atol(arguments[3]);
    curl_global_init(CURL_GLOBAL_SSL);
    CURLM *multi = curl_multi_init();
    CURL *easy = curl_easy_init();
    struct curl_slist *headers = curl_slist_append(NULL, "Expect:");
    for (int next = 5; next < count; next++) headers = curl_slist_append(headers, arguments[next]);
    curl_easy_setopt(easy, CURLOPT_URL, arguments[1]);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, forget);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    if (strcmp(arguments[4], "-")) curl_easy_setopt(easy, CURLOPT_CAINFO, arguments[4]);
    double began = seconds_now();
    clock_t processor = clock();
    for (size_t next = 0; left > 0; left--, next = (next + 1) % bodies.count) {
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)bodies.all[next].count);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, bodies.all[next].bytes);
        curl_multi_add_handle(multi, easy);
        for (int running = 1; running;) {
            curl_multi_perform(multi, &running);
            if (running) curl_multi_poll(multi, NULL, 0, 1000, NULL);
        }
        int messages;
        CURLMsg *message = curl_multi_info_read(multi, &messages);
        long status = 0;
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        if (!message || message->data.result != CURLE_OK || status / 100 != 2) {
            fprintf(stderr, "curl-drain: %s, status %ld\n",
                message ? curl_easy_strerror(message->data.result) : "no response", status);
            return 1;
        }
        curl_multi_remove_handle(multi, easy);
    }
    print_run(began, processor);
    curl_easy_cleanup(easy);
    curl_multi_cleanup(multi);
    curl_slist_free_all(headers);
    return 0;
}
