// GLib's GNetworkMonitor, the one that reads netlink, as an application uses it: the signal network-changed.
#include "arrivals.h"
#include <gio/gio.h>
#include <glib-unix.h>

static void changed(GNetworkMonitor *monitor, gboolean available, gpointer context) {
    (void)monitor, (void)available, (void)context;
    arrived();
}

static gboolean end(gpointer loop) {
    g_main_loop_quit(loop);
    return G_SOURCE_REMOVE;
}

int main(void) {
    // Otherwise the implementation that uses NetworkManager or a portal could be chosen.
    g_setenv("GIO_USE_NETWORK_MONITOR", "netlink", TRUE);
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    GNetworkMonitor *monitor = g_network_monitor_get_default();
    if (g_strcmp0(G_OBJECT_TYPE_NAME(monitor), "GNetworkMonitorNetlink") != 0) {
        fprintf(stderr, "glib-monitor: %s is not the monitor that reads netlink\n", G_OBJECT_TYPE_NAME(monitor));
        return 1;
    }
    g_signal_connect(monitor, "network-changed", G_CALLBACK(changed), NULL);
    g_unix_signal_add(SIGTERM, end, loop);
    say_ready();
    g_main_loop_run(loop);
    return print_arrivals();
}
