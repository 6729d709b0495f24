import CSystemd
import Glibc
import Platform
import Synchronization

/// A service on a message bus, on a thread of its own, which performs a test's orders meanwhile.
public final class BusDesk<Order: Sendable>: Sendable {
    private struct State {
        var orders: [Order] = []
        var isToLeave = false
        var isThere = false
        var hasLeft = false
        var failure: String?
    }

    private let state = Mutex(State())
    private let wake = WakeDescriptor()

    /// A service that has not joined a bus yet.
    public init() {}

    /// Joins a bus, under this name where one is given, and returns once it is there. From then on the thread carries
    /// out orders and handles messages, with the connection of sd-bus(3).
    public func join(
        _ bus: PrivateBus, as name: String?,
        carryOut: @escaping @Sendable (Order, OpaquePointer) -> Void = { _, _ in },
        handle: @escaping @Sendable (OpaquePointer, OpaquePointer) -> Void
    ) throws {
        let address = bus.address
        try DetachedThread.start(name: "desk") { [self] in
            run(at: address, as: name, carryOut, handle)
            state.withLock { $0.hasLeft = true }
        }
        guard eventually({ state.withLock { $0.isThere || $0.hasLeft } }), state.withLock({ !$0.hasLeft }) else {
            throw BusDeskNotReady(description: state.withLock { $0.failure } ?? "it took too long")
        }
    }

    private func run(
        at address: String, as name: String?, _ carryOut: (Order, OpaquePointer) -> Void,
        _ handle: (OpaquePointer, OpaquePointer) -> Void
    ) {
        var pointer: OpaquePointer?
        sd_bus_new(&pointer)
        defer { sd_bus_flush_close_unref(pointer) }
        guard let bus = pointer else { return }
        sd_bus_set_address(bus, address)
        sd_bus_set_bus_client(bus, 1)
        var status = sd_bus_start(bus)
        if status >= 0, let name { status = sd_bus_request_name(bus, name, 0) }
        state.withLock { state in
            if status < 0 { state.failure = SystemError.text(-status) } else { state.isThere = true }
        }
        while status >= 0, handleOrders(bus, carryOut) {
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

    /// Performs the orders; false once it has to end.
    private func handleOrders(_ bus: OpaquePointer, _ carryOut: (Order, OpaquePointer) -> Void) -> Bool {
        wake.clear()
        let (orders, isToLeave) = state.withLock { state in
            defer { state.orders = [] }
            return (state.orders, state.isToLeave)
        }
        for order in orders { carryOut(order, bus) }
        return !isToLeave
    }

    /// Gives an order, which is performed immediately.
    public func order(_ order: Order) {
        state.withLock { $0.orders.append(order) }
        wake.signal()
    }

    /// Leaves the bus, after the previous orders.
    public func leave() {
        state.withLock { $0.isToLeave = true }
        wake.signal()
        _ = eventually { state.withLock { $0.hasLeft } }
    }
}

/// A service of a test did not start.
public struct BusDeskNotReady: Error {
    /// Why.
    public let description: String
}
