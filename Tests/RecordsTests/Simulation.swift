import Location
import Records
import TestSupport

/// Clients of two accounts, a network that loses, repeats and reorders requests and answers, and a hub whose engine fails
/// at any call and which is restarted, against the reference.
///
/// The hub handles one request after the other, so the reference knows at each point what every complete fetch has to
/// yield. The simulation stops at the first difference.
struct Simulation {
    struct Packet {
        var client: Int
        var key: String
        var request: SimulatedRequest
        var sent: UTCTime
    }

    static let accounts = [World.alice, World.bob]
    static let zones = ["", "z1", "z2", "z3"]
    static let names = (0..<12).map { "n\($0)" }

    var world: World
    var reference = ReferenceHub()
    var clients: [SimulatedClient]
    var packets: [Packet] = []
    var answers: [String: SimulatedAnswer] = [:]
    var tags: Set<String> = []
    var deletionTimes: [ZoneID: UTCTime] = [:]
    var random: SeededGenerator
    var lastValue = 0
    var hasFaults = true

    /// Records that were saved, deleted or refused, requests that were repeated, and pages that were fetched.
    var operations = 0
    /// How often each thing happened, to show that the simulation reaches it.
    var counts: [String: Int] = [:]
    /// The first difference; nil for none.
    var difference: String?

    init(_ random: SeededGenerator, on engine: EngineKind) throws {
        var rules = SyncRules()
        rules.deletionAge = .seconds(86_400)
        world = try World(on: engine, rules: rules)
        self.random = random
        clients = Self.accounts.flatMap { account in
            (0..<6).map { SimulatedClient(account, "\(account)-\($0)", isGuest: $0 >= 4) }
        }
        for client in clients {
            _ = try world.register(client.caller)
            _ = try world.store.subscribe(Subscription(name("all"), .database), in: client.database, by: client.caller)
        }
    }

    /// Performs at least so many operations, then lets all clients finish, and compares everything.
    mutating func run(_ most: Int) throws {
        var steps = 0
        while operations < most, difference == nil {
            steps += 1
            try step()
            if steps.isMultiple(of: 400) { try removeOld(limit: 3, untilDone: false) }
            if steps.isMultiple(of: 3_000) { try removeOld(limit: 100, untilDone: true) }
        }
        guard difference == nil else { return }
        hasFaults = false
        while !packets.isEmpty { try deliver(packets.removeLast()) }
        for index in clients.indices { try finish(index) }
        if let violation = world.engine.violations.first { report("the engine: \(violation)") }
    }

    mutating func finish(_ index: Int) throws {
        while let pending = clients[index].pending, difference == nil {
            try deliver(Packet(client: index, key: pending.key, request: pending.request, sent: world.now))
        }
        var pages = 0
        repeat {
            try fetchZones(index)
            while let zone = clients[index].dirty.first, difference == nil { try fetch(zone, index) }
            pages += 1
        } while difference == nil && pages < 1_000 && (clients[index].listing != nil || pages < 30)
        for zone in clients[index].known {
            let copy = clients[index].copies[zone]?.records
            if copy != expected(zone, clients[index]) {
                report("\(clients[index].device) ends with another copy of \(zone.name)")
            }
        }
    }

    mutating func report(_ text: String) { if difference == nil { difference = text } }

    mutating func count(_ what: String) { counts[what, default: 0] += 1 }

    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    static func key(_ zone: ZoneID) -> String { "\(zone.owner?.text ?? "")/\(zone.name)" }

    /// The zones that a client should see.
    func visible(_ client: SimulatedClient) -> Set<ZoneID> {
        let zones = Self.zones.map { World.zone($0, client.host) }.filter { expected($0) != nil }
        return Set(zones.filter { !client.isGuest || sees(client.account, $0) })
    }

    /// Whether a zone or something of it is shared with an account.
    func sees(_ account: AccountID, _ zone: ZoneID) -> Bool {
        let key = Self.key(zone)
        return reference.may(account.text, write: false, key)
            || !reference.roots(in: key, for: account.text).isEmpty
    }

    /// What a client should have of a zone.
    func expected(_ zone: ZoneID, _ client: SimulatedClient) -> [String: ReferenceHub.Version]? {
        client.isGuest ? expected(zone, client.account) : expected(zone)
    }

    /// What an account should see of a zone of another account.
    func expected(_ zone: ZoneID, _ account: AccountID) -> [String: ReferenceHub.Version]? {
        let key = Self.key(zone)
        guard !reference.may(account.text, write: false, key),
            let part = reference.part(of: key, for: account.text)
        else { return expected(zone) }
        return expected(zone)?.filter { part[$0.key] != nil }
    }

    func expected(_ zone: ZoneID) -> [String: ReferenceHub.Version]? {
        reference.zones[Self.key(zone)]?.mapValues(\.current)
    }

    mutating func step() throws {
        world.now = UTCTime(microseconds: world.now.microseconds + Int64.random(in: 0..<100_000_000, using: &random))
        if chance(500) { world.wait(days: 1.5) }
        if chance(1_000) {
            try world.restartHub()
            count("hub restarts")
        }
        let index = Int.random(in: 0..<clients.count, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<35: send(index)
        case 35..<65: if !packets.isEmpty { try deliverAny() }
        case 65..<76: try fetchZones(index)
        case 76..<96: if !clients[index].dirty.isEmpty { try fetch(pick(clients[index].dirty.sorted()), index) }
        case 96..<99: try receivePushes(index)
        default:
            guard chance(40) else { return }
            count("devices set up anew")
            clients[index].forget()
        }
    }
}
