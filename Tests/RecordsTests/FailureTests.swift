import Records
import Testing

/// What remains when an engine fails at each of its calls in turn.
@Suite struct FailureTests {
    private struct Step: Sendable {
        var name: String
        /// Whether the step answers a request with a key, so that it can be repeated after a commit.
        var isKeyed: Bool
        var perform: @Sendable (World) throws(EngineFailure) -> String
    }

    private static func records(
        _ key: String, _ caller: Caller, _ request: ModifyRecords
    ) -> Step {
        Step(name: key, isKeyed: true) { (world) throws(EngineFailure) in
            let reply = try world.store.modify(request, by: caller, key: RecordsTests.name(key), at: world.now)
            return "\(reply.answer.withoutRecords) \(reply.isRepeated ? "again" : "\(reply.pushes.count)")"
        }
    }

    private static func zones(_ key: String, _ saves: [String], _ deletions: [String]) -> Step {
        Step(name: key, isKeyed: true) { (world) throws(EngineFailure) in
            let request = ModifyZones(
                World.container, of: World.alice, saves: saves.map { RecordsTests.name($0) },
                deletions: deletions.map { RecordsTests.name($0) })
            let reply = try world.store.modify(request, by: World.phone, key: RecordsTests.name(key), at: world.now)
            return "\(reply.answer) \(reply.isRepeated ? "again" : "\(reply.pushes.count)")"
        }
    }

    private static func other(_ name: String, _ perform: @escaping @Sendable (World) throws(EngineFailure) -> String)
        -> Step
    {
        Step(name: name, isKeyed: false, perform: perform)
    }

    private static func sharing(
        _ key: String, _ caller: Caller, _ action: ModifySharing.Action, of record: String? = nil
    ) -> Step {
        Step(name: key, isKeyed: true) { (world) throws(EngineFailure) in
            let request = ModifySharing(World.notes, action, of: record.map { RecordsTests.name($0) })
            let reply = try world.store.modify(request, by: caller, key: RecordsTests.name(key), at: world.now)
            return "\(reply.answer) \(reply.isRepeated ? "again" : "\(reply.pushes.count)")"
        }
    }

    private static let carol = World.device("desk", name("carol"))

    private static func child(_ record: String, of parent: String) -> RecordDraft {
        var draft = draft(record, "x")
        draft.fields[.parent] = .reference(name(parent))
        return draft
    }

    private static let steps: [Step] = [
        other("register the phone") { (world) throws(EngineFailure) in
            "\(String(describing: try world.store.register(in: World.container, by: World.phone)))"
        },
        other("register the laptop") { (world) throws(EngineFailure) in
            "\(String(describing: try world.store.register(in: World.container, by: World.laptop)))"
        },
        other("subscribe") { (world) throws(EngineFailure) in
            let all = Subscription(name("all"), .database)
            let database = World.database(World.alice)
            return "\(String(describing: try world.store.subscribe(all, in: database, by: World.phone).answer))"
        },
        zones("make", ["notes", "lists"], []),
        records(
            "save", World.phone,
            ModifyRecords(World.notes, saves: ["n1", "n2", "n3"].map { .init(draft($0, "x")) })),
        records(
            "change", World.laptop,
            ModifyRecords(
                World.notes, saves: [.init(draft("n1", "y"), .changedKeys), .init(draft("n4", "z"))],
                deletions: [.init(name("n2"))])),
        records("conflict", World.laptop, ModifyRecords(World.notes, saves: [.init(draft("n1", "w"))])),
        records("default", World.phone, ModifyRecords(World.zone("", World.alice), saves: [.init(draft("d", "x"))])),
        sharing("invite", World.phone, .invite(World.bob, .write)),
        sharing("accept", World.bobs, .accept),
        records("shared", World.bobs, ModifyRecords(World.notes, saves: [.init(draft("b1", "x"))])),
        sharing("withdraw", World.laptop, .withdraw(World.bob)),
        sharing("invite-again", World.phone, .invite(World.bob, .read)),
        sharing("accept-again", World.bobs, .accept),
        sharing("invite-to-record", World.phone, .invite(name("carol"), .write), of: "n1"),
        sharing("accept-record", carol, .accept, of: "n1"),
        records(
            "below", carol,
            ModifyRecords(World.notes, saves: [.init(child("c2", of: "c1")), .init(child("c1", of: "n1"))])),
        records("move", World.laptop, ModifyRecords(World.notes, saves: [.init(child("n4", of: "c1"), .changedKeys)])),
        sharing("withdraw-record", World.phone, .withdraw(name("carol")), of: "n1"),
        sharing("invite-to-record-again", World.phone, .invite(name("carol"), .read), of: "n1"),
        sharing("accept-record-again", carol, .accept, of: "n1"),
        records("delete-record", World.phone, ModifyRecords(World.notes, deletions: [.init(name("n1"))])),
        zones("remake", ["other"], ["lists"]),
        other("acknowledge") { (world) throws(EngineFailure) in
            guard case .success(let pushes) = try world.store.pushes(to: World.laptop) else {
                return "none"
            }
            _ = try world.store.acknowledge(pushes, by: World.laptop)
            return "\(pushes.count)"
        },
        zones("delete", [], ["notes"]),
        other("unregister") { (world) throws(EngineFailure) in
            "\(String(describing: try world.store.unregister(from: World.container, by: World.laptop)))"
        },
    ]

    @Test(arguments: EngineKind.allCases)
    func `an engine that fails at any call leaves nothing half done, and a repetition does it once`(engine: EngineKind)
        throws
    {
        let world = try World(on: engine)
        let spared = try World(on: engine)
        for caller in [World.phone, World.laptop] {
            for world in [world, spared] { try world.store.join(caller) }
        }
        var failures = 0
        for step in Self.steps {
            let expected = try step.perform(spared)
            let before = try world.engine.tables()
            var call = 0
            while true {
                world.engine.failingCall = world.engine.nextCall + call
                do throws(EngineFailure) {
                    let answer = try step.perform(world)
                    #expect(answer == expected, "\(step.name)")
                    break
                } catch {
                    failures += 1
                    #expect(try world.engine.tables() == before, "\(step.name), call \(call)")
                }
                call += 1
            }
            world.engine.failingCall = nil
            #expect(try world.engine.tables() == spared.engine.tables(), "\(step.name)")
        }
        #expect(failures > 100)
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `a commit whose answer is lost is answered by the repetition`(engine: EngineKind) throws {
        let world = try World(on: engine)
        let spared = try World(on: engine)
        for caller in [World.phone, World.laptop] {
            for world in [world, spared] { try world.store.join(caller) }
        }
        for step in Self.steps {
            let expected = try step.perform(spared)
            guard step.isKeyed else {
                _ = try step.perform(world)
                continue
            }
            world.engine.failsAfterCommit = true
            #expect(throws: EngineFailure.self, "\(step.name)") { _ = try step.perform(world) }
            #expect(try world.engine.tables() == spared.engine.tables(), "\(step.name)")
            let again = try step.perform(world)
            let answer = expected.split(separator: " ").dropLast().joined(separator: " ")
            #expect(again == answer + " again")
            #expect(try world.engine.tables() == spared.engine.tables(), "\(step.name)")
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `ageing that fails anywhere removes no deletion without expiring the tokens before it`(engine: EngineKind)
        throws
    {
        var world = try World.withNotes(on: engine)
        for number in 0..<6 { try world.save("n\(number)") }
        try world.make("lists")
        let token = try world.changes().token
        let list = try world.databaseChanges().token
        try world.modify(deleting: (0..<3).map { .init(name("n\($0)")) })
        try world.delete("lists")
        world.wait(days: 91)
        var call = 0
        while true {
            world.engine.failingCall = world.engine.nextCall + call
            defer { world.engine.failingCall = nil }
            do throws(EngineFailure) {
                _ = try world.store.removeOld(at: world.now)
                break
            } catch {
                world.engine.failingCall = nil
                Self.expectComplete(try world.store.changes(of: World.notes, since: token, by: World.phone))
                switch try world.store.changes(of: World.database(World.alice), since: list, by: World.phone) {
                case .success(let page): #expect(page.deleted.count == 1)
                case .failure(let refusal): #expect(refusal == .changeTokenExpired(.outdated))
                }
            }
            call += 1
        }
        #expect(call > 10)
        let expired = try world.store.changes(of: World.notes, since: token, by: World.phone)
        #expect(expired == .failure(.changeTokenExpired(.outdated)))
    }

    private static func expectComplete(_ answer: Answer<ZoneChanges>) {
        switch answer {
        case .success(let page): #expect(page.deleted.count == 3)
        case .failure(let refusal): #expect(refusal == .changeTokenExpired(.outdated))
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `a damaged stored answer is an error, not another execution`(engine: EngineKind) throws {
        let world = try World.withNotes(on: engine)
        let request = ModifyRecords(World.notes, saves: [.init(draft("n1", "x"))])
        _ = try world.store.modify(request, by: World.phone, key: name("k"), at: world.now)
        let key = AnswerRow.Key(PushTarget(World.container, World.alice, name("phone")), name("k"))
        var stored = try #require(try world.engine.tables().answers[key])
        stored.answer.removeLast()
        try world.engine.write { (transaction) throws(EngineFailure) in try transaction.put(stored, to: key) }
        let before = try world.engine.tables()
        #expect(throws: EngineFailure.self) {
            try world.store.modify(request, by: World.phone, key: name("k"), at: world.now)
        }
        #expect(try world.engine.tables() == before)
    }
}
