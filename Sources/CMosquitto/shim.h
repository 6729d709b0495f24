#ifndef WAYMARK_CMOSQUITTO_H
#define WAYMARK_CMOSQUITTO_H
#include <mosquitto.h>
#include <mqtt_protocol.h>
#endif
