import Testing

@testable import Daemon

@Suite struct HandedSocketsTests {
    /// Classifies sockets of these kinds: `l` is listening, `r` is a routing socket, anything else is neither.
    private func sorted(_ kinds: String) throws(StartError) -> HandedSockets {
        let kinds = Array(kinds)
        return try HandedSockets(
            kinds.indices.map { (number: Int32($0), name: "\(kinds[$0])\($0)") },
            isListener: { kinds[Int($0)] == "l" }, isRouting: { kinds[Int($0)] == "r" })
    }

    @Test func `no sockets give none`() throws {
        let sockets = try sorted("")
        #expect(sockets.listeners.isEmpty && sockets.routing == nil)
    }

    @Test func `sockets are identified by their kind, in any order`() throws {
        let sockets = try sorted("rlrl")
        #expect(sockets.listeners == [.init(number: 1, name: "l1"), .init(number: 3, name: "l3")])
        #expect(sockets.routing == .init(announcements: 0, queries: 2))
    }

    @Test(arguments: [("lr", 1), ("rrr", 3)])
    func `any number of routing sockets but none or two is refused`(_ kinds: String, _ count: Int) {
        #expect(throws: StartError.routingSockets(count: count)) { try sorted(kinds) }
        #expect(StartError.routingSockets(count: count).description.contains("\(count) netlink sockets: two"))
    }

    @Test func `an unusable socket is named`() {
        #expect(throws: StartError.unusableSocket(name: "x1")) { try sorted("lx") }
    }

    @Test func `descriptors of an earlier daemon's handover are recognized by name`() throws {
        let sockets = try HandedSockets(
            [(3, "varlink"), (4, "waymark-handover"), (5, "waymark-client-7"), (6, "waymark-gpsd")],
            isListener: { $0 == 3 }, isRouting: { _ in false })
        #expect(sockets.listeners == [.init(number: 3, name: "varlink")])
        #expect(sockets.left.map(\.number) == [4, 5, 6])
    }
}
