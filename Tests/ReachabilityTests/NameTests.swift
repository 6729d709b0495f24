import Location
import Reachability
import Testing

struct NameTests {
    private func machine(_ answer: LookupAnswer?) throws -> (SimulatedMachine, TargetKey) {
        var machine = SimulatedMachine(.wired())
        machine.names["example.org"] = answer
        machine.start(nameServers: [HostAddress(ip("10.0.0.53"))])
        let key = try target("example.org")
        machine.watch(key)
        return (machine, key)
    }

    private let there = LookupAnswer.addresses([HostAddress(ip("192.0.2.7"))])

    @Test func `a name is being looked up, and told as soon as it is`() throws {
        var (machine, key) = try machine(there)
        #expect(machine.target(key)?.reason == .resolving)
        machine.advance(20 * milliseconds)
        #expect(machine.targets[key]?.map(\.status) == [.unknown, .reachable])
        #expect(machine.isQuiet)
    }

    @Test func `a name that is not there is told at once, and not asked for again`() throws {
        var (machine, key) = try machine(.noSuchName)
        machine.advance(120 * seconds)
        #expect(machine.target(key)?.reason == .nameNotFound)
        #expect(machine.lookups.count == 1)
        #expect(machine.isQuiet)
    }

    @Test func `an answer without addresses is none`() throws {
        var (machine, key) = try machine(.addresses([]))
        machine.advance(seconds)
        #expect(machine.target(key)?.reason == .nameNotFound)
    }

    @Test func `without an answer it is tried again ever more seldom, while somebody watches`() throws {
        var (machine, key) = try machine(nil)
        machine.lookupTime = 0
        var times: [UInt64] = []
        let start = machine.now
        for _ in 0..<300 {
            let before = machine.lookups.count
            machine.advance(seconds)
            if machine.lookups.count > before { times.append((machine.now - start) / seconds) }
        }
        // 1, 2, 4, 8, 16, 32 and 60 s apart; the first lookup takes 20 ms.
        #expect(times == [2, 4, 8, 16, 32, 64, 124, 184, 244])
        #expect(machine.target(key)?.reason == .nameServerNotAnswering)
        machine.unwatch(key)
        #expect(machine.isQuiet)
    }

    @Test func `an answer that comes at last is told when it has held`() throws {
        var (machine, key) = try machine(nil)
        machine.advance(10 * seconds)
        machine.names["example.org"] = there
        machine.advance(20 * seconds)
        #expect(machine.target(key)?.status == .reachable)
        #expect(machine.isQuiet)
    }

    @Test func `on a loss the known addresses are judged at once, a gain waits for the name`() throws {
        var (machine, key) = try machine(there)
        machine.advance(seconds)
        machine.lookupTime = 3 * seconds
        machine.change { $0.setCarrier(false, 2) }
        #expect(machine.target(key)?.status == .requiresConnection)
        #expect(machine.target(key)?.reason == .noCarrier)
        #expect(machine.lookups.count == 1)
        machine.change { $0.setCarrier(true, 2) }
        machine.advance(300 * milliseconds)
        #expect(machine.path?.status == .satisfied)
        #expect(machine.lookups.count == 2)
        #expect(machine.target(key)?.status == .requiresConnection)
        machine.advance(2_600 * milliseconds)
        #expect(machine.target(key)?.status == .requiresConnection)
        machine.advance(100 * milliseconds)
        #expect(machine.target(key)?.status == .reachable)
        #expect(machine.isQuiet)
    }

    @Test func `a name that must not be looked up just now keeps its addresses`() throws {
        var (machine, key) = try machine(there)
        machine.advance(seconds)
        machine.names["example.org"] = .postponed
        machine.use(nameServers: [HostAddress(ip("10.0.0.54"))])
        machine.advance(seconds)
        #expect(machine.targets[key]?.map(\.status) == [.unknown, .reachable])
        #expect(!machine.isQuiet)
        machine.names["example.org"] = .noSuchName
        machine.advance(2 * seconds)
        #expect(machine.target(key)?.reason == .nameNotFound)
        // Where nothing is known yet, it is as if nobody answered.
        let (other, first) = try self.machine(.postponed)
        machine = other
        machine.advance(seconds)
        #expect(machine.target(first)?.reason == .nameServerNotAnswering)
    }

    @Test func `a name without an answer while there is no path is unreachable for the path's reason`() throws {
        var (machine, key) = try machine(nil)
        machine.advance(100 * milliseconds)
        machine.change { $0.setUp(false, 2) }
        machine.advance(5 * seconds)
        #expect(machine.target(key)?.status == .unreachable)
        #expect(machine.target(key)?.reason == .noRoute)
    }

    @Test func `other name servers are asked at once, and the old question given up`() throws {
        var (machine, key) = try machine(nil)
        machine.lookupTime = 5 * seconds
        machine.advance(2 * seconds)
        let pending = machine.lookups.count
        machine.names["example.org"] = there
        machine.lookupTime = 20 * milliseconds
        machine.use(nameServers: [HostAddress(ip("10.0.0.54"))])
        #expect(machine.lookups.count == pending + 1)
        #expect(machine.abandoned.count == 1)
        // What it says nevertheless is not heard.
        machine.answer(.noSuchName, to: try #require(machine.abandoned.first))
        #expect(machine.target(key)?.reason != .nameNotFound)
        machine.advance(seconds)
        #expect(machine.target(key)?.status == .reachable)
        #expect(machine.isQuiet)
    }

    @Test func `with other name servers the pauses begin anew`() throws {
        var (machine, _) = try machine(nil)
        machine.lookupTime = 0
        machine.advance(100 * seconds)
        machine.use(nameServers: [HostAddress(ip("10.0.0.54"))])
        let before = machine.lookups.count
        machine.advance(8 * seconds)
        #expect(machine.lookups.count == before + 3)
    }

    @Test func `hosts of one user share a lookup, those of another do not`() throws {
        var (machine, _) = try machine(there)
        machine.advance(seconds)
        let again = try target("Example.ORG", port: 443)
        machine.watch(again)
        #expect(machine.target(again)?.status == .reachable)
        #expect(machine.lookups.count == 1)
        let foreign = try target("example.org", uid: 7)
        machine.watch(foreign)
        #expect(machine.target(foreign)?.reason == .resolving)
        #expect(machine.lookups.count == 2)
    }

    @Test func `a name is given up with the last who watches it`() throws {
        var (machine, key) = try machine(there)
        machine.watch(key)
        machine.unwatch(key)
        #expect(machine.abandoned.isEmpty)
        #expect(machine.target(key) != nil)
        machine.unwatch(key)
        #expect(machine.abandoned.count == 1)
        #expect(machine.target(key) == nil)
        #expect(machine.isQuiet)
        machine.unwatch(key)
    }

    @Test func `a failure that is reported three times is told, and forgotten with the path`() throws {
        var (machine, key) = try machine(there)
        machine.advance(seconds)
        for _ in 0..<3 { machine.report(.failed, for: key) }
        #expect(machine.target(key)?.isSuspect == true)
        machine.report(.captive, for: key)
        machine.advance(seconds)
        #expect(machine.target(key)?.finding == .captive)
        machine.change { $0.setCarrier(false, 2) }
        machine.change { $0.setCarrier(true, 2) }
        machine.advance(10 * seconds)
        #expect(machine.target(key)?.status == .reachable)
        #expect(machine.target(key)?.isSuspect == false)
        #expect(machine.target(key)?.finding == nil)
    }
}
