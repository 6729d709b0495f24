import NetworkPaths

/// Decides which source addresses are suitable for a destination.
struct SourceFitness {
    /// The destination.
    var destination: IPAddress
    /// The route to it.
    var route: Route
    /// The router on that route.
    var gateway: IPAddress?

    /// Whether a reply could return to this address.
    func fits(_ source: IPAddress) -> Bool {
        guard source.family == destination.family, !source.isUnspecified else { return false }
        if source.isLoopback { return destination.isLoopback }
        guard route.kind != .multicast, route.kind != .broadcast, source.isLinkLocal, !destination.isLinkLocal else {
            return true
        }
        switch source.family {
        // Nothing outside the link knows a link-local address (RFC 4291, 2.5.6).
        case .ipv6: return false
        // Virtual machines get link-local networks with a router that translates addresses. A default route without a
        // router is one that a machine without a configured address assigns to itself (RFC 3927, 2.6.2).
        case .ipv4: return gateway != nil || route.prefixLength > 0
        }
    }

    /// The reason why none of an interface's addresses is suitable.
    func reason(among addresses: [InterfaceAddress]?) -> UnreachableReason {
        let isComing = addresses?.contains { $0.isTentative && !$0.isDuplicate && fits($0.address) } ?? false
        return isComing ? .addressTentative : .noAddress
    }
}
