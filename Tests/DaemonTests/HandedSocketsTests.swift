import Testing

@testable import Daemon

@Suite struct HandedSocketsTests {
    /// Sorts sockets of these kinds: `l` listens, `r` is one to the kernel's routing, anything else is neither.
    private func sorted(_ kinds: String) throws(StartError) -> HandedSockets {
        let kinds = Array(kinds)
        return try HandedSockets(
            kinds.indices.map { (number: Int32($0), name: "\(kinds[$0])\($0)") },
            isListener: { kinds[Int($0)] == "l" }, isRouting: { kinds[Int($0)] == "r" })
    }

    @Test func `nothing is nothing`() throws {
        let sockets = try sorted("")
        #expect(sockets.listeners.isEmpty && sockets.routing == nil)
    }

    @Test func `sockets are known by what they are, in any order`() throws {
        let sockets = try sorted("rlrl")
        #expect(sockets.listeners == [.init(number: 1, name: "l1"), .init(number: 3, name: "l3")])
        #expect(sockets.routing == .init(announcements: 0, queries: 2))
    }

    @Test(arguments: [("lr", 1), ("rrr", 3)])
    func `two sockets for routing, or none`(_ kinds: String, _ count: Int) {
        #expect(throws: StartError.routingSockets(count: count)) { try sorted(kinds) }
        #expect(StartError.routingSockets(count: count).description.contains("\(count) netlink sockets: two"))
    }

    @Test func `what is of no use is named`() {
        #expect(throws: StartError.unusableSocket(name: "x1")) { try sorted("lx") }
    }

    @Test func `what an earlier daemon left is told from sockets by its name`() throws {
        let sockets = try HandedSockets(
            [(3, "varlink"), (4, "waymark-handover"), (5, "waymark-client-7"), (6, "waymark-gpsd")],
            isListener: { $0 == 3 }, isRouting: { _ in false })
        #expect(sockets.listeners == [.init(number: 3, name: "varlink")])
        #expect(sockets.left.map(\.number) == [4, 5, 6])
    }
}
