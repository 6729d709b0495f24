import NetworkPaths

/// The cost of sending through an interface: as configured, otherwise as NetworkManager reports, otherwise by the
/// interface's kind.
public struct CostPolicy: Equatable, Sendable {
    /// Interfaces that cost money.
    public var expensive: [NamePattern]
    /// Interfaces over which little should be sent.
    public var constrained: [NamePattern]
    /// Interfaces that can transmit next to nothing.
    public var ultraConstrained: [NamePattern]
    /// Whether NetworkManager considers an interface metered, by interface name; empty if NetworkManager does not run.
    public var metered: [String: Bool] = [:]

    /// A policy of these patterns.
    public init(
        expensive: [NamePattern] = [], constrained: [NamePattern] = [], ultraConstrained: [NamePattern] = []
    ) {
        self.expensive = expensive
        self.constrained = constrained
        self.ultraConstrained = ultraConstrained
    }

    /// The interface as clients see it.
    public func describe(_ link: Link) -> NetworkInterface {
        let kind = InterfaceClassifier.kind(of: link)
        let isPointToPoint = link.hardwareType == InterfaceClassifier.pointToPoint
        return NetworkInterface(
            name: link.name, index: link.index, kind: kind,
            isExpensive: expensive.contains { $0.fits(link.name) }
                || (metered[link.name] ?? (kind == .cellular || isPointToPoint)),
            isConstrained: constrained.contains { $0.fits(link.name) },
            isUltraConstrained: ultraConstrained.contains { $0.fits(link.name) })
    }
}
