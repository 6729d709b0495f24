import NetworkPaths
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

    @Test func `a name is resolving at first, and is reported as soon as its addresses are known`() throws {
        var (machine, key) = try machine(there)
        #expect(machine.target(key)?.reason == .resolving)
        machine.advance(20 * milliseconds)
        #expect(machine.targets[key]?.map(\.status) == [.unknown, .reachable])
        #expect(machine.isQuiet)
    }

    @Test func `a missing name is reported at once, and looked up again each minute because it may be added`() throws {
        var (machine, key) = try machine(.noSuchName)
        machine.lookupTime = 0
        machine.advance(seconds)
        #expect(machine.target(key)?.reason == .nameNotFound)
        machine.advance(300 * seconds)
        #expect(machine.lookups.count == 6)
        #expect(machine.targets[key]?.map(\.status) == [.unknown, .unreachable])
        machine.names["example.org"] = there
        machine.advance(60 * seconds)
        #expect(machine.target(key)?.status == .reachable)
        #expect(machine.isQuiet)
    }

    @Test func `a repeated request looks up a name without address at once, and gets any result`()
        throws
    {
        var (machine, key) = try machine(.noSuchName)
        machine.lookUpAgain(key)
        machine.advance(seconds)
        #expect(machine.lookups.count == 1, "a lookup was already running")
        #expect(machine.lookedUp == [key] && !machine.state.isAwaitingName(key))
        machine.lookUpAgain(key)
        #expect(machine.state.isAwaitingName(key) && machine.target(key)?.reason == .nameNotFound)
        machine.advance(seconds)
        #expect(machine.lookedUp == [key, key] && !machine.state.isAwaitingName(key))
        #expect(machine.targets[key]?.count == 2, "an unchanged state is not reported")
        machine.names["example.org"] = there
        machine.lookUpAgain(key)
        machine.advance(seconds)
        #expect(machine.lookedUp.count == 3 && machine.target(key)?.status == .reachable)
        machine.lookUpAgain(key)
        #expect(machine.lookups.count == 3 && machine.isQuiet, "its addresses are known")
    }

    @Test func `a reply without addresses means that there is no such name`() throws {
        var (machine, key) = try machine(.addresses([]))
        machine.advance(seconds)
        #expect(machine.target(key)?.reason == .nameNotFound)
    }

    @Test func `without a reply the lookups become less frequent, as long as the name is watched`() throws {
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

    @Test func `a late reply is reported once it has lasted`() throws {
        var (machine, key) = try machine(nil)
        machine.advance(10 * seconds)
        machine.names["example.org"] = there
        machine.advance(20 * seconds)
        #expect(machine.target(key)?.status == .reachable)
        #expect(machine.isQuiet)
    }

    @Test func `on a loss the known addresses are evaluated at once, and a gain waits for the name`() throws {
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

    @Test func `a gain after an interruption waits for the name too`() throws {
        var (machine, key) = try machine(there)
        machine.advance(seconds)
        machine.lookupTime = 3 * seconds
        machine.names["example.org"] = .addresses([HostAddress(ip("192.0.2.8"))])
        // Received together, so that the network is evaluated once everything is as before.
        machine.change {
            $0.setCarrier(false, 2)
            $0.setCarrier(true, 2)
        }
        #expect(machine.path?.status == .satisfied)
        #expect(machine.target(key)?.reason == .noCarrier)
        machine.advance(2_900 * milliseconds)
        #expect(machine.targets[key]?.map(\.status) == [.unknown, .reachable, .requiresConnection])
        machine.advance(200 * milliseconds)
        #expect(machine.target(key)?.address == ip("192.0.2.8"))
        #expect(machine.targets[key]?.count == 4)
        #expect(machine.isQuiet)
    }

    @Test func `a name whose lookup is postponed retains its addresses`() throws {
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
        // Without an earlier result, the name is still resolving.
        let (other, first) = try self.machine(.postponed)
        machine = other
        machine.advance(seconds)
        #expect(machine.target(first)?.reason == .resolving)
        machine.names["example.org"] = there
        machine.advance(seconds)
        #expect(machine.targets[first]?.map(\.status) == [.unknown, .reachable])
    }

    @Test func `without a path and a reply, a name is unreachable for the path's reason`() throws {
        var (machine, key) = try machine(nil)
        machine.advance(100 * milliseconds)
        machine.change { $0.setUp(false, 2) }
        machine.advance(5 * seconds)
        #expect(machine.target(key)?.status == .unreachable)
        #expect(machine.target(key)?.reason == .noRoute)
    }

    @Test func `new name servers are queried at once, and the old lookup is abandoned`() throws {
        var (machine, key) = try machine(nil)
        machine.lookupTime = 5 * seconds
        machine.advance(2 * seconds)
        let pending = machine.lookups.count
        machine.names["example.org"] = there
        machine.lookupTime = 20 * milliseconds
        machine.use(nameServers: [HostAddress(ip("10.0.0.54"))])
        #expect(machine.lookups.count == pending + 1)
        #expect(machine.abandoned.count == 1)
        // Its late result is ignored.
        machine.answer(.noSuchName, to: try #require(machine.abandoned.first))
        #expect(machine.target(key)?.reason != .nameNotFound)
        machine.advance(seconds)
        #expect(machine.target(key)?.status == .reachable)
        #expect(machine.isQuiet)
    }

    @Test func `with new name servers the pauses start again`() throws {
        var (machine, _) = try machine(nil)
        machine.lookupTime = 0
        machine.advance(100 * seconds)
        machine.use(nameServers: [HostAddress(ip("10.0.0.54"))])
        let before = machine.lookups.count
        machine.advance(8 * seconds)
        #expect(machine.lookups.count == before + 3)
    }

    @Test func `hosts of one user share a lookup, hosts of different users do not`() throws {
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

    @Test func `the users' names are looked up alternately`() throws {
        var (machine, _) = try machine(there)
        for host in ["a.example", "b.example"] { machine.watch(try target(host)) }
        machine.watch(try target("z.example", uid: 7))
        machine.advance(seconds)
        let before = machine.lookups.count
        machine.use(nameServers: [HostAddress(ip("10.0.0.54"))])
        #expect(machine.lookups[before...] == ["a.example", "z.example", "b.example", "example.org"])
    }

    @Test func `a name's lookup is abandoned with its last watcher`() throws {
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

    @Test func `outcomes count for later watchers, and for every spelling of the host`() throws {
        var (machine, _) = try machine(there)
        let spellings = try ["example.org", "Example.Org"].map { try target($0, port: 443) }
        for key in spellings + spellings.prefix(1) { machine.report(.failed, for: key) }
        for key in spellings { machine.watch(key) }
        machine.advance(seconds)
        for key in spellings {
            #expect(machine.target(key)?.isSuspect == true && machine.target(key)?.host == key.text)
        }
        machine.report(.answered, for: try target("EXAMPLE.ORG", port: 443))
        for key in spellings { #expect(machine.target(key)?.isSuspect == false) }
    }

    @Test func `a failure that is reported three times is notified, and forgotten with the path`() throws {
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
