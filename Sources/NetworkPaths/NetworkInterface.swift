/// A network interface through which data could be sent, as NWInterface describes it.
public struct NetworkInterface: Hashable, Sendable {
    /// The kind of link.
    public enum Kind: String, CaseIterable, Sendable {
        case wired, wifi, cellular, vpn, bridge, loopback, other
    }

    /// Its name: `eth0`.
    public var name: String
    /// The kernel's index of the interface, which stays the same when the interface is renamed.
    public var index: Int32
    /// The kind of link.
    public var kind: Kind
    /// Whether sending over it costs money.
    public var isExpensive: Bool
    /// Whether the configuration says that little traffic is to be sent over it.
    public var isConstrained: Bool
    /// Whether it can transmit next to nothing, such as a satellite messaging link.
    public var isUltraConstrained: Bool

    /// Creates an interface.
    public init(
        name: String, index: Int32, kind: Kind, isExpensive: Bool = false, isConstrained: Bool = false,
        isUltraConstrained: Bool = false
    ) {
        self.name = name
        self.index = index
        self.kind = kind
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
        self.isUltraConstrained = isUltraConstrained
    }
}
