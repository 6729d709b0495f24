import NetworkPaths

/// What the kernel has announced since the last look: why to ask it again, never what the answer is.
public struct NetworkEvents: Equatable, Sendable {
    /// An address that an interface has lost.
    public struct LostAddress: Hashable, Sendable {
        /// The interface.
        public var interface: Int32
        /// The address.
        public var address: IPAddress

        /// An address of an interface.
        public init(interface: Int32, address: IPAddress) {
            self.interface = interface
            self.address = address
        }
    }

    /// How many messages there were.
    public var count = 0
    /// Whether the kernel has had more to announce than the socket could hold since the last time: anything may have
    /// happened.
    public var overrun = false
    /// Interfaces that were without a carrier, down or gone at some moment.
    public var interrupted: Set<Int32> = []
    /// Addresses that were removed at some moment.
    public var lostAddresses: Set<LostAddress> = []
    /// Interfaces whose description may have changed, those that are gone included.
    public var changedLinks: Set<Int32> = []

    /// Whether anything was taken away, a route say. It tells nothing but what is worth asking first.
    public var hasRemovals = false

    /// Nothing.
    public init() {}

    /// Whether anything is said to have been away.
    var hasLosses: Bool { !interrupted.isEmpty || !lostAddresses.isEmpty }

    /// Whether anything may have been taken away.
    var indicatesLoss: Bool { overrun || hasRemovals || hasLosses }

    /// Whether there was nothing.
    public var isEmpty: Bool { count == 0 && !overrun }
}
