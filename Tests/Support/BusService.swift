import CSystemd
import Glibc
import Platform

/// A connection to a message bus that answers calls, sd-bus(3), on the thread that runs it.
public enum BusService {
    /// Joins the bus at an address, under this name where one is given, and serves until `takeOrders` says no or the bus
    /// is gone. `started` is told the code of sd-bus, negative for an error; `takeOrders` is called at first, after each
    /// message and when `wake` is signalled, which it clears itself.
    public static func run(
        at address: String, as name: String?, wokenBy wake: borrowing WakeDescriptor, started: (Int32) -> Void,
        takeOrders: (OpaquePointer) -> Bool, handle: (OpaquePointer, OpaquePointer) -> Void
    ) {
        var pointer: OpaquePointer?
        sd_bus_new(&pointer)
        defer { sd_bus_flush_close_unref(pointer) }
        guard let bus = pointer else { return }
        sd_bus_set_address(bus, address)
        sd_bus_set_bus_client(bus, 1)
        var status = sd_bus_start(bus)
        if status >= 0, let name { status = sd_bus_request_name(bus, name, 0) }
        started(status)
        while status >= 0, takeOrders(bus) {
            var message: OpaquePointer?
            status = sd_bus_process(bus, &message)
            if let message {
                handle(message, bus)
                sd_bus_message_unref(message)
            }
            if status != 0 { continue }
            var entries = [
                pollfd(fd: sd_bus_get_fd(bus), events: Int16(sd_bus_get_events(bus)), revents: 0),
                pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&entries, 2, -1)
        }
        // The bus learns of the end only when no child that was forked just then has the connection open any more.
        if status >= 0, let name { sd_bus_release_name(bus, name) }
    }
}
