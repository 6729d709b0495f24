import NetworkPaths

/// What a client may see of the network, so that gains can be told from losses.
public protocol Settling: Equatable, Sendable {
    /// How good it is: more is better. Of two with the same standing none is a loss.
    var rank: Int { get }
    /// Whether something can be sent.
    var isUp: Bool { get }
    /// Whether it only stands for an answer that has not come yet.
    var isPreliminary: Bool { get }
    /// What it was while these versions of the protocol were away, for these reasons; nil where that did not matter.
    func without(_ families: [IPAddress.Family: UnreachableReason]) -> Self?
}

extension NetworkPath: Settling {
    /// Satisfied, with a connection to be made, not at all.
    public var rank: Int {
        switch status {
        case .satisfied: 2
        case .requiresConnection: 1
        case .unsatisfied: 0
        }
    }

    /// Whether something can be sent.
    public var isUp: Bool { status == .satisfied }

    /// Whether the kernel has not answered yet.
    public var isPreliminary: Bool { reason == .kernelNotAnswering }

    /// The path with the other version of the protocol alone, or with none.
    public func without(_ families: [IPAddress.Family: UnreachableReason]) -> NetworkPath? {
        guard status == .satisfied else { return nil }
        var past = self
        if families[.ipv4] != nil { past.supportsIPv4 = false }
        if families[.ipv6] != nil { past.supportsIPv6 = false }
        guard past != self else { return nil }
        past.gateways.removeAll { families[$0.family] != nil }
        if past.supportsIPv4 || past.supportsIPv6 { return past }
        past.status = .requiresConnection
        // Where both are told, the carrier says more than the address.
        past.reason = families.values.contains(.noCarrier) ? .noCarrier : families.values.first
        past.supportsDNS = false
        return past
    }
}

extension TargetReachability: Settling {
    /// Reachable, with a connection to be made, not to be told, not at all.
    public var rank: Int {
        switch status {
        case .reachable: 3
        case .requiresConnection: 2
        case .unknown: 1
        case .unreachable: 0
        }
    }

    /// Whether something can be sent.
    public var isUp: Bool { status == .reachable }

    /// Whether the name is being looked up, or the kernel has not answered yet.
    public var isPreliminary: Bool { reason == .resolving || reason == .kernelNotAnswering }

    /// The host while its address's version of the protocol was away.
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
