import CLinux
import Glibc
import Platform

/// The descriptors of a client, epoll(7): one descriptor that the program polls in place of all connections.
struct Poller: ~Copyable {
    /// A call whose connection is ready.
    struct Ready {
        /// The number of the call.
        let call: UInt64
        /// What it is ready for: bits of epoll_ctl(2).
        let events: UInt32
    }

    private let descriptor: OwnedDescriptor

    init() throws(SystemError) {
        descriptor = try OwnedDescriptor("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
    }

    /// The descriptor to poll.
    var number: Int32 { descriptor.number }

    /// Watches the connection of a call.
    func add(_ connection: Int32, of call: UInt64, for events: UInt32) throws(SystemError) {
        try control(EPOLL_CTL_ADD, connection, call, events)
    }

    /// Changes what a watched connection is watched for.
    func change(_ connection: Int32, of call: UInt64, to events: UInt32) throws(SystemError) {
        try control(EPOLL_CTL_MOD, connection, call, events)
    }

    /// Ends to watch a connection. Closing it would suffice, unless a forked process had it as well.
    func remove(_ connection: Int32) {
        var event = epoll_event()
        _ = epoll_ctl(descriptor.number, EPOLL_CTL_DEL, connection, &event)
    }

    /// The connections that are ready now, at most 64 of them. Never blocks.
    func ready() throws(SystemError) -> [Ready] {
        try withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { (events) throws(SystemError) in
            let count = try retrying("epoll_wait") { epoll_wait(descriptor.number, events.baseAddress, 64, 0) }
            return events.prefix(Int(count)).map { Ready(call: $0.data.u64, events: $0.events) }
        }
    }

    private func control(
        _ operation: Int32, _ connection: Int32, _ call: UInt64, _ events: UInt32
    ) throws(SystemError) {
        var event = epoll_event(events: events, data: epoll_data_t(u64: call))
        try retrying("epoll_ctl") { epoll_ctl(descriptor.number, operation, connection, &event) }
    }
}

/// Bits of epoll_ctl(2).
enum Readiness {
    static let read = EPOLLIN.rawValue
    static let write = EPOLLOUT.rawValue
}
