import NetworkPaths

/// Which addresses something can be sent from.
struct SourceFitness {
    /// Where to.
    var destination: IPAddress
    /// By which route.
    var route: Route
    /// Through which router.
    var gateway: IPAddress?

    /// Whether an answer could come back to this address.
    func fits(_ source: IPAddress) -> Bool {
        guard source.family == destination.family, !source.isUnspecified else { return false }
        if source.isLoopback { return destination.isLoopback }
        guard route.kind != .multicast, route.kind != .broadcast, source.isLinkLocal, !destination.isLinkLocal else {
            return true
        }
        switch source.family {
        // Nothing outside the link knows it (RFC 4291, 2.5.6).
        case .ipv6: return false
        // Virtual machines are given such networks with a router that translates. A default route without a router is
        // what a machine gives itself that nobody has given an address (RFC 3927, 2.6.2).
        case .ipv4: return gateway != nil || route.prefixLength > 0
        }
    }

    /// Why there is none among an interface's addresses.
    func reason(among addresses: [InterfaceAddress]?) -> UnreachableReason {
        let isComing = addresses?.contains { $0.isTentative && !$0.isDuplicate && fits($0.address) } ?? false
        return isComing ? .addressTentative : .noAddress
    }
}
