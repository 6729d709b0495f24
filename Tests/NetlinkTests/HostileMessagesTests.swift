import NetlinkRecording
import NetworkPaths
import Reachability
import TestSupport
import Testing

@testable import Netlink

/// Gives the same reply to every request.
private final class Answering: KernelExchange {
    var datagrams: [[UInt8]]
    private(set) var requests = 0

    init(_ datagrams: [[UInt8]]) { self.datagrams = datagrams }

    func perform(_ request: UnsafeMutableRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        requests += 1
        return datagrams.contains { $0.withUnsafeBytes(take) }
    }
}

@Suite struct `A malformed reply` {
    private func recording(_ name: String) throws -> NetlinkRecording {
        try NetlinkRecording(file: Products.fixture("netlink/\(name).txt"))
    }

    /// Sends all queries to a kernel with this reply.
    private func query(_ datagrams: [[UInt8]]) {
        let inquiry = KernelInquiry(exchange: Answering(datagrams), readsDeviceTypes: false)
        Inventory([]).query(inquiry) { _ in }
    }

    private func events(_ datagram: [UInt8]) -> NetworkEvents {
        var events = NetworkEvents()
        datagram.withUnsafeBytes { events.append($0) }
        return events
    }

    @Test func `that is truncated anywhere does no harm`() throws {
        let recording = try recording("multipath")
        for datagram in Set(recording.exchanges.flatMap(\.answer)) {
            for length in stride(from: 0, to: min(datagram.count, 400), by: 7) {
                query([Array(datagram.prefix(length))])
            }
        }
        for event in recording.events {
            for length in 0..<event.count { #expect(events(Array(event.prefix(length))).count == 0) }
            #expect(events(event).count == 1)
        }
    }

    @Test func `of random bytes does no harm`() throws {
        var random = SeededGenerator(seed: 1)
        let recording = try recording("bridge")
        for datagram in Set(recording.exchanges.flatMap(\.answer) + recording.events) {
            for _ in 0..<20 {
                var spoilt = datagram
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    spoilt[Int.random(in: 0..<spoilt.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                query([spoilt])
                _ = events(spoilt)
            }
        }
    }

    @Test func `without an end counts as no reply`() throws {
        let list = try #require(try recording("ordinary").exchanges.first { $0.comment == "all interfaces" })
        let inquiry = KernelInquiry(exchange: Answering([list.answer[0]]), readsDeviceTypes: false)
        #expect(inquiry.links() == nil)
    }

    @Test func `with a list that never stops changing is accepted in the end`() throws {
        let list = try #require(try recording("ordinary").exchanges.first { $0.comment == "all interfaces" })
        let datagrams = list.answer.map { datagram in
            var datagram = datagram
            datagram[6] |= 0x10  // NLM_F_DUMP_INTR
            return datagram
        }
        let exchange = Answering(datagrams)
        #expect(KernelInquiry(exchange: exchange, readsDeviceTypes: false).links()?.count == 2)
        #expect(exchange.requests == 3)
    }

    @Test func `to another query counts as no reply`() throws {
        let ordinary = try recording("ordinary")
        let link = try #require(ordinary.exchanges.first { $0.comment == "interface 2, up0" })
        let inquiry = KernelInquiry(exchange: Answering(link.answer), readsDeviceTypes: false)
        #expect(inquiry.link(1) == nil, "the reply is about interface 2")
        #expect(inquiry.route(RouteQuery(try #require(IPAddress("12.0.0.1")))) == .noAnswer)
        #expect(inquiry.neighbour(try #require(IPAddress("10.77.0.1")), on: 2) == nil)
    }
}
