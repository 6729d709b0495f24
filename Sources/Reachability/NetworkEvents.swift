import NetworkPaths

/// The kernel's announcements since the last evaluation. They are only a reason to query the kernel again, never a
/// source of its state.
public struct NetworkEvents: Equatable, Sendable {
    /// An address that was removed from an interface.
    public struct LostAddress: Hashable, Sendable {
        /// The interface.
        public var interface: Int32
        /// The address.
        public var address: IPAddress

        /// Creates a removed address.
        public init(interface: Int32, address: IPAddress) {
            self.interface = interface
            self.address = address
        }
    }

    /// The number of messages.
    public var count = 0
    /// Whether the kernel had more to announce than the socket could hold since the last time: anything may have
    /// happened.
    public var overrun = false
    /// Interfaces that were without a carrier, down or removed at any time since.
    public var interrupted: Set<Int32> = []
    /// Addresses that were removed at any time since.
    public var lostAddresses: Set<LostAddress> = []
    /// Interfaces whose description may have changed, including removed ones.
    public var changedLinks: Set<Int32> = []

    /// Whether anything was removed, such as a route. It is only a hint about which queries to send first.
    public var hasRemovals = false

    /// No announcements.
    public init() {}

    /// Whether an interruption was announced.
    var hasLosses: Bool { !interrupted.isEmpty || !lostAddresses.isEmpty }

    /// Whether anything may have been removed.
    var indicatesLoss: Bool { overrun || hasRemovals || hasLosses }

    /// Whether there was no announcement.
    public var isEmpty: Bool { count == 0 && !overrun }
}
