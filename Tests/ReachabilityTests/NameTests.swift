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

    @Test func `a name is being looked up, and told as soon as it is`() throws {
        var (machine, key) = try machine(there)
        #expect(machine.target(key)?.reason == .resolving)
        machine.advance(20 * milliseconds)
        #expect(machine.targets[key]?.map(\.status) == [.unknown, .reachable])
        #expect(machine.isQuiet)
    }

    @Test func `a name that is not there is told at once, and asked for again each minute, as it may come`() throws {
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

    @Test func `who asks now has a name without address looked up at once, and hears of it whatever comes of it`()
        throws
    {
        var (machine, key) = try machine(.noSuchName)
        machine.lookUpAgain(key)
        machine.advance(seconds)
        #expect(machine.lookups.count == 1, "it was being looked up")
        #expect(machine.lookedUp == [key] && !machine.state.isAwaitingName(key))
        machine.lookUpAgain(key)
        #expect(machine.state.isAwaitingName(key) && machine.target(key)?.reason == .nameNotFound)
        machine.advance(seconds)
        #expect(machine.lookedUp == [key, key] && !machine.state.isAwaitingName(key))
        #expect(machine.targets[key]?.count == 2, "who watches is told no news that is none")
        machine.names["example.org"] = there
        machine.lookUpAgain(key)
        machine.advance(seconds)
        #expect(machine.lookedUp.count == 3 && machine.target(key)?.status == .reachable)
        machine.lookUpAgain(key)
        #expect(machine.lookups.count == 3 && machine.isQuiet, "its addresses are known")
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

    @Test func `after an interruption, too, a gain waits for the name`() throws {
        var (machine, key) = try machine(there)
        machine.advance(seconds)
        machine.lookupTime = 3 * seconds
        machine.names["example.org"] = .addresses([HostAddress(ip("192.0.2.8"))])
        // Heard of together, so that the network is looked at when everything is as before.
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
        // Where nothing is known yet, it is still to be found out.
        let (other, first) = try self.machine(.postponed)
        machine = other
        machine.advance(seconds)
        #expect(machine.target(first)?.reason == .resolving)
        machine.names["example.org"] = there
        machine.advance(seconds)
        #expect(machine.targets[first]?.map(\.status) == [.unknown, .reachable])
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

    @Test func `users' names are looked up in turn`() throws {
        var (machine, _) = try machine(there)
        for host in ["a.example", "b.example"] { machine.watch(try target(host)) }
        machine.watch(try target("z.example", uid: 7))
        machine.advance(seconds)
        let before = machine.lookups.count
        machine.use(nameServers: [HostAddress(ip("10.0.0.54"))])
        #expect(machine.lookups[before...] == ["a.example", "z.example", "b.example", "example.org"])
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

    @Test func `reports count for who watches later, and however the host is written`() throws {
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
