// Feeds bytes to the parser of the kernel's messages, and through it to libnl. Compiled together with that part of
// Sources/Netlink.
//
// The first byte says whether the others are announcements or the reply to one of the queries, and in how many
// datagrams.

import CNetlink
import NetworkPaths
import Reachability

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let control = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    let whole = datagrams(bytes, count: 1 + Int(control >> 4))
    if control & 0xf == 0 {
        for datagram in whole { fuzzEvents(datagram) }
    } else {
        fuzzAnswer(whole, query: control & 0xf)
    }
    return 0
}

/// The bytes in `count` pieces, each in memory of exactly its length, so that the sanitizer detects reading beyond it.
private func datagrams(_ bytes: [UInt8], count: Int) -> [Datagram] {
    let length = max(1, (bytes.count + count - 1) / count)
    return stride(from: 0, to: bytes.count, by: length).map { start in
        Datagram(bytes[start..<min(start + length, bytes.count)])
    }
}

private final class Datagram {
    let bytes: UnsafeMutableRawBufferPointer

    init(_ content: ArraySlice<UInt8>) {
        bytes = .allocate(byteCount: content.count, alignment: MemoryLayout<nlmsghdr>.alignment)
        bytes.copyBytes(from: content)
    }

    deinit { bytes.deallocate() }
}

private func fuzzEvents(_ datagram: Datagram) {
    var events = NetworkEvents()
    events.append(UnsafeRawBufferPointer(datagram.bytes))
    precondition(events.count <= datagram.bytes.count / MemoryLayout<nlmsghdr>.size, "no message is without bytes")
    precondition(events.interrupted.isSubset(of: events.changedLinks), "a link that was lost has changed")
    precondition(
        events.lostAddresses.count + events.changedLinks.count <= events.count, "each change is reported by a message")
    precondition(!events.overrun, "only a socket is overrun")
}

/// Replies to every request with the same datagrams.
private final class Answering: KernelExchange {
    private let datagrams: [Datagram]
    var requests = 0

    init(_ datagrams: [Datagram]) { self.datagrams = datagrams }

    func perform(_ request: UnsafeMutableRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        requests += 1
        return datagrams.contains { take(UnsafeRawBufferPointer($0.bytes)) }
    }
}

private func fuzzAnswer(_ datagrams: [Datagram], query: UInt8) {
    let exchange = Answering(datagrams)
    let kernel = KernelInquiry(exchange: exchange, readsDeviceTypes: false)
    let destinations = [IPAddress(.ipv4, bytes: [12, 0, 0, 1]), IPAddress(.ipv6, bytes: [0x26, 0] + zeros(13) + [1])]
    guard let destination = destinations[Int(query & 1)] else { preconditionFailure("these are addresses") }
    switch query >> 1 {
    case 0:
        guard case .route(let route) = kernel.route(RouteQuery(destination)) else { return }
        check(route)
    case 1:
        _ = kernel.forwards(destination.family)
    case 2:
        if let link = kernel.link(2) { precondition(link.index == 2, "the reply is about the requested link") }
    case 3:
        for link in kernel.links() ?? [] {
            precondition(link.index > 0 && (link.isUp || !link.isRunning), "a running link is up")
        }
    case 4:
        for address in kernel.addresses(of: 2) ?? [] {
            precondition(
                address.prefixLength <= address.address.bytes.count * 8, "a prefix is no longer than an address")
        }
    case 5:
        _ = kernel.neighbour(destination, on: 2)
    case 6:
        for rule in kernel.rules(destination.family) ?? [] {
            for prefix in [rule.source, rule.destination].compactMap({ $0 }) {
                precondition(prefix.length <= prefix.address.bytes.count * 8, "a prefix is no longer than an address")
            }
        }
    default:
        if case .route(let route) = kernel.resolvedRoute(RouteQuery(destination)) { check(route) }
    }
    precondition(exchange.requests <= 3, "the number of requests is limited")
}

private func check(_ route: Route) {
    precondition((0...128).contains(route.prefixLength), "a prefix is no longer than an address")
    precondition(route.nextHops.allSatisfy { $0.interface > 0 }, "a route has an interface")
    if let resolved = route.resolved { precondition(resolved.interface > 0, "a route has an interface") }
}

private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
