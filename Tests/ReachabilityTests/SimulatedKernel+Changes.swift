import NetworkPaths
import Reachability

/// An announcement of the kernel to the multicast groups of rtnetlink(7).
enum Announcement: Equatable {
    case link(Int32, isInterrupted: Bool)
    case address(Int32, IPAddress, isLost: Bool)
    case route, rule
    case neighbour(IPAddress, Int32)
}

// Changes, each with the announcements that Linux makes of it.

extension SimulatedKernel {
    func announce(_ announcement: Announcement) {
        if isCongested { return }
        if announcements.count < capacity {
            announcements.append(announcement)
        } else {
            isCongested = true
            hasOverrun = true
        }
    }

    /// The announcements since the last call, as `EventSocket` returns them: an overrun is reported at once, and again
    /// with the remaining announcements if there are any.
    func drain() -> NetworkEvents {
        var events = NetworkEvents()
        let count = isCongested && !hasOverrun ? announcements.count : min(announcements.count, mostInARow)
        events.overrun = isCongested
        for announcement in announcements.prefix(count) {
            events.count += 1
            switch announcement {
            case .link(let index, let isInterrupted):
                events.changedLinks.insert(index)
                if isInterrupted { events.interrupted.insert(index) }
            case .address(let index, let address, let isLost):
                if isLost {
                    events.lostAddresses.insert(NetworkEvents.LostAddress(interface: index, address: address))
                }
            case .route, .rule, .neighbour: break
            }
        }
        announcements.removeFirst(count)
        if announcements.isEmpty { isCongested = false }
        hasOverrun = false
        return events
    }

    func add(_ link: Link) {
        interfaces[link.index] = link
        addresses[link.index] = []
        announce(.link(link.index, isInterrupted: !link.isUp || !link.isRunning))
    }

    func removeLink(_ index: Int32) {
        guard interfaces.removeValue(forKey: index) != nil else { return }
        addresses[index] = nil
        flushRoutes(through: index)
        announce(.link(index, isInterrupted: true))
    }

    func setUp(_ isUp: Bool, _ index: Int32) {
        guard var link = interfaces[index], link.isUp != isUp else { return }
        link.isUp = isUp
        link.isRunning = isUp
        interfaces[index] = link
        if isUp {
            for address in addresses[index] ?? [] { addConnectedRoute(of: address, on: index) }
        } else {
            flushRoutes(through: index)
            for address in addresses[index] ?? [] where address.address.family == .ipv6 {
                remove(address.address, from: index)
            }
        }
        announce(.link(index, isInterrupted: !isUp))
    }

    func setCarrier(_ isRunning: Bool, _ index: Int32) {
        guard var link = interfaces[index], link.isUp, link.isRunning != isRunning else { return }
        link.isRunning = isRunning
        interfaces[index] = link
        announce(.link(index, isInterrupted: !isRunning))
    }

    func add(_ address: IPAddress, _ length: Int, to index: Int32, isTentative: Bool = false) {
        guard interfaces[index] != nil else { return }
        let new = InterfaceAddress(address: address, prefixLength: length, isTentative: isTentative)
        addresses[index]?.removeAll { $0.address == address }
        addresses[index]?.append(new)
        if interfaces[index]?.isUp == true { addConnectedRoute(of: new, on: index) }
        announce(.address(index, address, isLost: false))
    }

    func remove(_ address: IPAddress, from index: Int32) {
        guard let known = addresses[index]?.first(where: { $0.address == address }) else { return }
        addresses[index]?.removeAll { $0 == known }
        let connected = known.network
        routes.removeAll {
            $0.hops.contains { $0.interface == index } && $0.preferredSource == address
                || $0.prefix == connected && $0.hops.first?.interface == index && $0.hops.first?.gateway == nil
        }
        // With its last IPv4 address an interface loses all IPv4 routes.
        if address.family == .ipv4, !(addresses[index] ?? []).contains(where: { $0.address.family == .ipv4 }) {
            flushRoutes(through: index, .ipv4)
        }
        announce(.address(index, address, isLost: true))
    }

    func add(_ route: SimulatedRoute) {
        let isSame = { (other: SimulatedRoute) in
            other.prefix == route.prefix && other.table == route.table && other.metric == route.metric
        }
        guard !routes.contains(where: isSame) else { return }
        guard route.hops.allSatisfy({ interfaces[$0.interface]?.isUp == true }) else { return }
        routes.append(route)
        announce(.route)
    }

    func removeRoute(where isMeant: (SimulatedRoute) -> Bool) {
        guard let index = routes.firstIndex(where: isMeant) else { return }
        routes.remove(at: index)
        announce(.route)
    }

    func add(_ rule: RoutingRule, _ family: IPAddress.Family) {
        rules[family]?.append(rule)
        rules[family]?.sort { $0.priority < $1.priority }
        announce(.rule)
    }

    func removeRule(_ priority: UInt32, _ family: IPAddress.Family) {
        guard rules[family]?.contains(where: { $0.priority == priority }) == true else { return }
        rules[family]?.removeAll { $0.priority == priority }
        announce(.rule)
    }

    /// Changes the state of a neighbour. The first attempt to reach it is not announced, and only failures pass the
    /// monitor's filter, unless all messages do.
    func setNeighbour(_ address: IPAddress, on index: Int32, _ state: Neighbour.State) {
        let key = NeighbourKey(address: address, interface: index)
        neighbours[key] = NeighbourEntry(state: state, updated: now)
        if state == .failed || state != .incomplete && watchesAllNeighbours { announce(.neighbour(address, index)) }
    }

    private func addConnectedRoute(of address: InterfaceAddress, on index: Int32) {
        let prefix = address.network
        guard !routes.contains(where: { $0.prefix == prefix && $0.hops.first?.interface == index }) else { return }
        routes.append(
            SimulatedRoute(
                prefix: prefix, metric: UInt32(index), hops: [Route.NextHop(interface: index)],
                preferredSource: address.address.family == .ipv4 ? address.address : nil))
        announce(.route)
    }

    /// Without an announcement, as the kernel does it.
    func flushRoutes(through index: Int32, _ family: IPAddress.Family? = nil) {
        for position in routes.indices where family == nil || routes[position].prefix.address.family == family {
            guard routes[position].hops.contains(where: { $0.interface == index }) else { continue }
            routes[position].hops.removeAll { $0.interface == index }
            routes[position].kind = routes[position].hops.isEmpty ? .other(0) : routes[position].kind
        }
        routes.removeAll { $0.kind == .other(0) }
    }
}

extension InterfaceAddress {
    /// The network of the address: the bits beyond the length are 0.
    var network: RoutingRule.Prefix {
        let bytes = address.bytes.enumerated().map { index, byte in
            let left = min(max(prefixLength - 8 * index, 0), 8)
            return byte & ~(left == 8 ? 0 : UInt8.max >> UInt8(left))
        }
        return RoutingRule.Prefix(IPAddress(address.family, bytes: bytes) ?? address, length: prefixLength)
    }
}
