import Glibc
import Records
import Storage
import TestSupport
import TestTraits
import Testing

@testable import Sync

/// Machines that change the same records while requests and answers are lost and repeated and programs crash.
@Suite(.computes, .timeLimit(.minutes(30))) struct CopyConvergenceTests {
    private static var operations: Int {
        getenv("WAYMARK_SYNC_OPERATIONS").flatMap { Int(String(cString: $0)) } ?? 8_000
    }

    private struct Run {
        var random: SeededGenerator
        let folder: TemporaryDirectory
        let hub: SimulatedHub
        let machines: [SimulatedMachine]
        var past: [(HubRequest, String)] = []
        var number: Int64 = 0
        /// Values that were acknowledged to a program, by machine, "zone/name" and field, and are nowhere else yet.
        var owed: [[String: [String: Int64]]]
        /// How often a program has made a record that it did not see.
        var made: [String: Int] = [:]
        var counts: [String: Int] = [:]
        /// Whether tokens have expired since the copies were compared.
        var hasExpired = false

        static let zones = ["one", "two", "_defaultZone"]
        static let fields = ["a", "b", "c"]

        init(_ random: SeededGenerator) throws {
            self.random = random
            // Nothing here needs a disk that survives a power cut.
            let shared = access("/dev/shm", W_OK) == 0
            folder = try TemporaryDirectory(in: shared ? "/dev/shm" : nil)
            hub = try SimulatedHub(folder: folder.file("hub"))
            machines = try [0, 1, 2].map { [folder, hub] number in
                try SimulatedMachine("machine\(number)", folder: folder.file("m\(number)"), hub: hub)
            }
            owed = machines.map { _ in [:] }
        }

        mutating func count(_ what: String) { counts[what, default: 0] += 1 }

        /// A program changes something.
        mutating func edit(_ index: Int) throws {
            let machine = machines[index]
            let zone = Self.zones.randomElement(using: &random) ?? "one"
            switch Int.random(in: 0..<20, using: &random) {
            case 0 where zone != "_defaultZone":
                count("zones deleted by programs")
                let refusal = try machine.edit { (tables, row, account) throws(StorageError) in
                    try tables.modify(row, of: account, saving: [], deleting: [named(zone)])
                }
                // What was not sent of a zone is lost when the program itself deletes it.
                owed[index] = owed[index].filter { !$0.key.hasPrefix(zone + "/") }
                if let refusal { throw SimulationError(description: "\(refusal)") }
            case 1...2 where zone != "_defaultZone":
                _ = try machine.edit { (tables, row, account) throws(StorageError) in
                    try tables.modify(row, of: account, saving: [named(zone)], deleting: [])
                }
            case 3...5: try delete(index, zone)
            case 6:
                let place = try machine.refused().keys.sorted().randomElement(using: &random)
                if let place { try discard(index, place) }
            default: try save(index, zone)
            }
        }

        private mutating func save(_ index: Int, _ zone: String) throws {
            let machine = machines[index]
            let name = "r\(Int.random(in: 0..<6, using: &random))"
            let place = "\(zone)/\(name)"
            number += 1
            let value = number
            let policy = SavePolicy.allCases.randomElement(using: &random) ?? .changedKeys
            let field = Self.fields.randomElement(using: &random) ?? "a"
            let refusedBefore = try machine.refused()[place] ?? []
            let before = try machine.records()[place]
            let refusal = try machine.edit { (tables, row, account) throws(StorageError) in
                let id = ZoneID(SimulatedMachine.container, owner: account, ZoneName(stored: zone) ?? .defaultZone)
                guard let present = try tables.present(id, in: row, of: account) else { return .zoneNotFound(id.name) }
                let draft = RecordDraft(named(name), named("Note"), [named(field): .integer(value)])
                return try tables.modify(present, ModifyRecords(id, saves: [ModifyRecords.Save(draft, policy)]))
            }
            guard refusal == nil else { return count("saves without a zone") }
            count("saves")
            // A program that saves a record again gives up its refused change, and one that saves a field again its value.
            owed[index][place] = owed[index][place]?.filter { !refusedBefore.contains($0.value) }
            if policy == .allKeys { owed[index][place] = nil }
            owed[index][place, default: [:]][field] = value
            if before == nil { made[place, default: 0] += 1 }
        }

        private mutating func delete(_ index: Int, _ zone: String) throws {
            let machine = machines[index]
            let name = "r\(Int.random(in: 0..<6, using: &random))"
            let refusal = try machine.edit { (tables, row, account) throws(StorageError) in
                let id = ZoneID(SimulatedMachine.container, owner: account, ZoneName(stored: zone) ?? .defaultZone)
                guard let present = try tables.present(id, in: row, of: account) else { return .zoneNotFound(id.name) }
                return try tables.modify(
                    present, ModifyRecords(id, deletions: [ModifyRecords.Deletion(named(name))]))
            }
            guard refusal == nil else { return }
            count("deletions")
            owed[index]["\(zone)/\(name)"] = nil
        }

        private mutating func discard(_ index: Int, _ place: String) throws {
            count("refused changes discarded")
            let parts = place.split(separator: "/").map(String.init)
            _ = try machines[index].edit { (tables, row, account) throws(StorageError) in
                let id = ZoneID(SimulatedMachine.container, owner: account, ZoneName(stored: parts[0]) ?? .defaultZone)
                guard let zone = try tables.find(id, in: row) else { return .zoneNotFound(id.name) }
                try tables.discard([named(parts[1])], in: zone, onlyRefused: false)
                return nil
            }
            owed[index][place] = nil
        }

        mutating func operate() throws {
            let index = Int.random(in: 0..<machines.count, using: &random)
            hub.now += Int64.random(in: 1...5_000_000, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<30: try edit(index)
            case 30..<40: try machines[index].markStale()
            case 40..<50: try machines[index].follow(limit: Int.random(in: 1...5, using: &random))
            case 50..<53:
                if let (request, token) = past.randomElement(using: &random), hub.now < 1_780_000_000_000_000 + 1 << 60
                {
                    // A copy of a request that arrives late does nothing.
                    let before = try hub.records()
                    _ = try hub.answer(request, token: token)
                    let after = try hub.records()
                    guard before == after else {
                        throw SimulationError(description: "a repeated request has changed something")
                    }
                    count("requests repeated late")
                }
            case 53 where Int.random(in: 0..<4, using: &random) == 0:
                try expire()
            case 54:
                try machines[index].crash()
                count("crashes")
            default:
                let isLucky = Int.random(in: 0..<3, using: &random) > 0
                let fate = isLucky ? .delivered : SimulatedMachine.Fate.allCases.randomElement(using: &random)
                if try machines[index].step(fate ?? .delivered, past: &past) { count("steps \(fate ?? .delivered)") }
                try settle()
            }
        }

        /// Lets more time pass than the hub remembers deletions and answers: tokens expire.
        mutating func expire() throws {
            hub.now += 100 * 86_400 * 1_000_000
            past = []
            try hub.removeOld()
            count("tokens expired")
            hasExpired = true
        }

        /// What has reached the hub is owed to nobody.
        mutating func settle() throws {
            for index in owed.indices {
                for (place, values) in owed[index] {
                    owed[index][place] = values.filter { !hub.values.contains($0.value) }
                }
            }
        }

        /// Lets everything come to rest, and compares.
        mutating func finish() throws -> String? {
            hasExpired = false
            for _ in 0..<5 {
                for machine in machines {
                    try machine.markStale()
                    var steps = 0
                    while try machine.step(.delivered, past: &past) {
                        steps += 1
                        if steps > 2_000 { return "\(machine.name) never comes to rest" }
                    }
                }
            }
            try settle()
            let right = try hub.records()
            for (index, machine) in machines.enumerated() {
                let seen = try machine.records()
                if seen != right { return "\(machine.name) has \(seen), and the hub \(right)" }
                let refused = try machine.refused()
                for (place, values) in owed[index] where !Set(values.values).isSubset(of: refused[place] ?? []) {
                    return "\(machine.name) has lost \(values) of \(place), refused are \(refused[place] ?? [])"
                }
                var pages = 0
                while pages < 100_000, try !machine.isFollowing {
                    try machine.follow(limit: 3)
                    pages += 1
                }
                if machine.mirror != right { return "the app on \(machine.name) has \(machine.mirror), not \(right)" }
            }
            for (place, births) in hub.births where births > made[place, default: 0] {
                return "\(place) has appeared \(births) times, and was made \(made[place, default: 0]) times"
            }
            return nil
        }
    }

    @Test
    func `whatever is lost, repeated or crashes, every machine ends with what the hub has, and no change is lost`()
        throws
    {
        var random = SeededGenerator()
        let description = "\(random)"
        var counts: [String: Int] = [:]
        var total = 0
        while total < Self.operations {
            var run = try Run(SeededGenerator(seed: random.next()))
            for step in 0..<1_000 {
                do {
                    try run.operate()
                    // Compared now, because a record that a copy has too many is soon saved again, and then it is right.
                    if run.hasExpired, let difference = try run.finish() {
                        throw SimulationError(description: difference)
                    }
                } catch {
                    Issue.record("\(description), after \(total + step) operations: \(error)")
                    return
                }
            }
            if let difference = try run.finish() {
                Issue.record("\(description), after \(total) operations: \(difference)")
                return
            }
            total += 1_000
            counts.merge(run.counts, uniquingKeysWith: +)
        }
        let figures = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        print("\(total) operations of copies, \(description): \(figures)")
        for what in [
            "crashes", "deletions", "refused changes discarded", "requests repeated late", "saves", "steps answerLost",
            "steps crashAfter", "steps delivered", "steps requestLost", "tokens expired", "zones deleted by programs",
        ] {
            #expect(counts[what, default: 0] > 0, "never: \(what)")
        }
    }
}
