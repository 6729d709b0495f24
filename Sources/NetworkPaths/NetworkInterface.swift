/// A network interface that something could be sent through, as NWInterface describes it.
public struct NetworkInterface: Hashable, Sendable {
    /// What it is made of.
    public enum Kind: String, CaseIterable, Sendable {
        case wired, wifi, cellular, vpn, bridge, loopback, other
    }

    /// Its name: `eth0`.
    public var name: String
    /// The kernel's number for it, which it keeps when it is renamed.
    public var index: Int32
    /// What it is made of.
    public var kind: Kind
    /// Whether what is sent over it costs money.
    public var isExpensive: Bool
    /// Whether the person asked to send little over it.
    public var isConstrained: Bool
    /// Whether it can carry next to nothing, a satellite's messages say.
    public var isUltraConstrained: Bool

    /// An interface of these parts.
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
