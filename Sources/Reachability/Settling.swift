import NetworkPaths

/// A state reported to clients, in a form that distinguishes gains from losses.
public protocol Settling: Equatable, Sendable {
    /// Its rank: more is better. A change between two states of the same rank is no loss.
    var rank: Int { get }
    /// Whether data can be sent.
    var isUp: Bool { get }
    /// Whether it is a placeholder for a reply that has not arrived yet.
    var isPreliminary: Bool { get }
    /// The state while these IP versions were unavailable for these reasons; nil if that made no difference.
    func without(_ families: [IPAddress.Family: UnreachableReason]) -> Self?
}

extension NetworkPath: Settling {
    /// Satisfied ranks above a connection that has to be made, which ranks above unsatisfied.
    public var rank: Int {
        switch status {
        case .satisfied: 2
        case .requiresConnection: 1
        case .unsatisfied: 0
        }
    }

    /// Whether data can be sent.
    public var isUp: Bool { status == .satisfied }

    /// Whether the kernel has not replied yet.
    public var isPreliminary: Bool { reason == .kernelNotAnswering }

    /// The path with only the other IP version, or with none.
    public func without(_ families: [IPAddress.Family: UnreachableReason]) -> NetworkPath? {
        guard status == .satisfied else { return nil }
        var past = self
        if families[.ipv4] != nil { past.supportsIPv4 = false }
        if families[.ipv6] != nil { past.supportsIPv6 = false }
        guard past != self else { return nil }
        past.gateways.removeAll { families[$0.family] != nil }
        if past.supportsIPv4 || past.supportsIPv6 { return past }
        past.status = .requiresConnection
        // If both reasons occur, the carrier is the cause and the missing address its effect.
        past.reason = families.values.contains(.noCarrier) ? .noCarrier : families.values.first
        past.supportsDNS = false
        return past
    }
}

extension TargetReachability: Settling {
    /// Reachable ranks above a connection that has to be made, which ranks above unknown and unreachable.
    public var rank: Int {
        switch status {
        case .reachable: 3
        case .requiresConnection: 2
        case .unknown: 1
        case .unreachable: 0
        }
    }

    /// Whether data can be sent.
    public var isUp: Bool { status == .reachable }

    /// Whether the name is being looked up, or the kernel has not replied yet.
    public var isPreliminary: Bool { reason == .resolving || reason == .kernelNotAnswering }

    /// The host while the IP version of its address was unavailable.
    public func without(_ families: [IPAddress.Family: UnreachableReason]) -> TargetReachability? {
        guard status == .reachable, let family = address?.family, let reason = families[family] else { return nil }
        var past = self
        past.status = .requiresConnection
        past.reason = reason
        past.isSuspect = false
        past.finding = nil
        return past
    }
}
