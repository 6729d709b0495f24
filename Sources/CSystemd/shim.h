#ifndef WAYMARK_CSYSTEMD_H
#define WAYMARK_CSYSTEMD_H
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>
#include <systemd/sd-login.h>
#endif
