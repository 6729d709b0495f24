// A plain client of libmosquitto: QoS 1, a number of messages in flight, each of which has to be confirmed; none is
// retained, as only the newest of a backlog is.
//
//   mosquitto-drain HOST PORT TOPIC BODIES COUNT WINDOW
#include "bodies.h"
#include <mosquitto.h>
#include <mqtt_protocol.h>

static long in_flight, confirmed, refused;
static int is_connected;

static void connected(struct mosquitto *client, void *context, int code, int flags, const mosquitto_property *properties) {
    (void)client; (void)context; (void)flags; (void)properties;
    is_connected = code == 0 ? 1 : -1;
}

static void published(struct mosquitto *client, void *context, int id, int code, const mosquitto_property *properties) {
    (void)client; (void)context; (void)id; (void)properties;
    in_flight--;
    if (code < 0x80) confirmed++;
    else refused++;
}

int main(int count, char **arguments) {
    if (count != 7) {
        fprintf(stderr, "usage: mosquitto-drain HOST PORT TOPIC BODIES COUNT WINDOW\n");
        return 2;
    }
    struct bodies bodies = read_bodies(arguments[4]);
    long total = atol(arguments[5]), window = atol(arguments[6]), sent = 0;
    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new("mosquitto-drain", false, NULL);
    mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_int_option(client, MOSQ_OPT_SEND_MAXIMUM, 0);
    mosquitto_connect_v5_callback_set(client, connected);
    mosquitto_publish_v5_callback_set(client, published);
    int status = mosquitto_connect(client, arguments[1], atoi(arguments[2]), 60);
    while (status == MOSQ_ERR_SUCCESS && !is_connected) status = mosquitto_loop(client, 1000, 1);
    double began = seconds_now();
    clock_t processor = clock();
    while (status == MOSQ_ERR_SUCCESS && is_connected > 0 && confirmed + refused < total) {
        for (; status == MOSQ_ERR_SUCCESS && in_flight < window && sent < total; sent++, in_flight++) {
            struct body *body = &bodies.all[sent % bodies.count];
            status = mosquitto_publish_v5(client, NULL, arguments[3], (int)body->count, body->bytes, 1, false, NULL);
        }
        if (status == MOSQ_ERR_SUCCESS) status = mosquitto_loop(client, 1000, 1);
    }
    if (confirmed < total) {
        fprintf(stderr, "mosquitto-drain: %s, %ld confirmed, %ld refused\n", mosquitto_strerror(status), confirmed, refused);
        return 1;
    }
    print_run(began, processor);
    mosquitto_disconnect(client);
    mosquitto_destroy(client);
    return 0;
}
