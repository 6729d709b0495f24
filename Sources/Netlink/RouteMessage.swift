import CNetlink
import NetworkPaths
import Reachability

/// RTM_NEWROUTE as a reply to RTM_GETROUTE, rtnetlink(7): the matching route, or the resolved interface, router and
/// source.
struct RouteMessage {
    /// The route from its table.
    private(set) var route = Route()
    /// The resolved interface, router and source; nil if the message names no interface.
    private(set) var resolved: Route.Resolved?

    /// Reads a message in place, because this value is large and a client waits for a dozen of them. Returns false and
    /// changes nothing for any other message, for another address family, and for a truncated message.
    mutating func read(_ message: NetlinkMessage) -> Bool {
        guard message.type == Int(RTM_NEWROUTE), let fixed = message.fixedPart(rtmsg.self),
            let family = IPAddress.Family(number: Int(fixed.rtm_family)),
            Int(fixed.rtm_dst_len) <= family.byteCount * 8
        else { return false }
        let flags = fixed.rtm_flags
        route = Route(
            kind: Route.Kind(fixed.rtm_type), prefixLength: Int(fixed.rtm_dst_len), table: UInt32(fixed.rtm_table),
            protocolNumber: fixed.rtm_protocol)
        resolved = nil
        var entry = Hop()
        var source: IPAddress?
        for attribute in message.attributes(after: rtmsg.self) {
            switch attribute.type {
            case Int(RTA_DST.rawValue): route.prefix = attribute.address(family)
            case Int(RTA_TABLE.rawValue): route.table = attribute.value(UInt32.self) ?? route.table
            case Int(RTA_PRIORITY.rawValue): route.metric = attribute.value(UInt32.self) ?? 0
            case Int(RTA_NH_ID.rawValue): route.nextHopID = attribute.value(UInt32.self)
            case Int(RTA_OIF.rawValue): entry.interface = attribute.value(Int32.self)
            case Int(RTA_PREFSRC.rawValue): source = attribute.address(family)
            case Int(RTA_MULTIPATH.rawValue): route.nextHops = Self.nextHops(in: attribute.bytes, family)
            default: entry.apply(attribute, family)
            }
        }
        if let hop = entry.nextHop(flags: flags) {
            if route.nextHops.isEmpty { route.nextHops = [hop] }
            resolved = Route.Resolved(interface: hop.interface, gateway: hop.gateway, source: source)
        }
        return true
    }

    /// The route, completed with the resolved interface, router and source.
    consuming func resolving(to resolved: Route.Resolved?) -> Route {
        route.resolved = resolved
        return route
    }

    /// The next hops of a multipath route: consecutive struct rtnexthop, each with its own attributes.
    private static func nextHops(in bytes: UnsafeRawBufferPointer, _ family: IPAddress.Family) -> [Route.NextHop] {
        let headerLength = MemoryLayout<rtnexthop>.size
        var hops: [Route.NextHop] = []
        var rest = bytes
        while rest.count >= headerLength {
            let header = rest.loadUnaligned(as: rtnexthop.self)
            let length = Int(header.rtnh_len)
            guard length >= headerLength, length <= rest.count else { break }
            var entry = Hop(interface: header.rtnh_ifindex)
            let attributes = UnsafeRawBufferPointer(rebasing: rest[headerLength..<length])
            for attribute in NetlinkAttributes(attributes) { entry.apply(attribute, family) }
            if let hop = entry.nextHop(flags: UInt32(header.rtnh_flags)) { hops.append(hop) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst((length + 3) & ~3))
        }
        return hops
    }
}

/// A next hop while its attributes are read.
private struct Hop {
    var interface: Int32?
    var gateway: IPAddress?

    mutating func apply(_ attribute: NetlinkAttribute, _ family: IPAddress.Family) {
        switch attribute.type {
        case Int(RTA_GATEWAY.rawValue):
            gateway = attribute.address(family)
        case Int(RTA_VIA.rawValue):
            // A router of the other address family: the family's number, followed by the address.
            guard let number = attribute.value(UInt16.self), let family = IPAddress.Family(number: Int(number)) else {
                return
            }
            gateway = IPAddress(family, bytes: UnsafeRawBufferPointer(rebasing: attribute.bytes.dropFirst(2)))
        default:
            break
        }
    }

    func nextHop(flags: UInt32) -> Route.NextHop? {
        guard let interface, interface > 0 else { return nil }
        return Route.NextHop(
            interface: interface, gateway: gateway, isDead: flags & UInt32(RTNH_F_DEAD) != 0,
            isLinkDown: flags & UInt32(RTNH_F_LINKDOWN) != 0)
    }
}

extension Route.Kind {
    /// The kind of an RTN_* number.
    init(_ number: UInt8) {
        switch Int(number) {
        case Int(RTN_UNICAST): self = .unicast
        case Int(RTN_LOCAL): self = .local
        case Int(RTN_BROADCAST): self = .broadcast
        case Int(RTN_ANYCAST): self = .anycast
        case Int(RTN_MULTICAST): self = .multicast
        case Int(RTN_BLACKHOLE): self = .blackhole
        case Int(RTN_UNREACHABLE): self = .unreachable
        case Int(RTN_PROHIBIT): self = .prohibit
        case Int(RTN_THROW): self = .throw
        default: self = .other(number)
        }
    }
}
