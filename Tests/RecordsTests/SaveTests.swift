import Records
import Testing

@Suite struct SaveTests {
    @Test(arguments: EngineKind.allCases)
    func `a record is saved with system fields and fetched as it was saved`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let tag = try world.save("n1", "milk")
        let record = try #require(try world.changes().changed.first)
        #expect(record.fields == [name("text"): .string("milk")])
        #expect(record.changeTag == tag)
        #expect(record.created == Record.Stamp(world.now, World.alice, name("phone")))
        #expect(record.modified == record.created)
    }

    @Test(arguments: EngineKind.allCases)
    func `a change names its device and time, and the creation stays`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let created = world.now
        let tag = try world.save("n1")
        world.wait(days: 1)
        try world.save("n1", "y", tag: tag, by: World.laptop)
        let record = try #require(try world.changes().changed.first)
        #expect(record.created == Record.Stamp(created, World.alice, name("phone")))
        #expect(record.modified == Record.Stamp(world.now, World.alice, name("laptop")))
    }

    @Test(arguments: EngineKind.allCases)
    func `a conflict answers with the server's record and the ancestor, and changes nothing`(engine: EngineKind) throws
    {
        var world = try World.withNotes(on: engine)
        let tag = try world.save("n1", "milk")
        let ancestor = try #require(try world.changes().changed.first)
        let newer = try world.save("n1", "bread", tag: tag, by: World.laptop)
        let server = try #require(try world.changes().changed.first)
        let outcomes = try world.modify([.init(draft("n1", "eggs", tag: tag))])
        #expect(outcomes == [.conflict(Conflict(serverChangeTag: newer, server: server, ancestor: ancestor))])
        #expect(try world.changes().changed == [server])
    }

    @Test(arguments: EngineKind.allCases)
    func `an ancestor that is two versions old is not in the conflict`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let tag = try world.save("n1")
        let second = try world.save("n1", "y", tag: tag)
        try world.save("n1", "z", tag: second)
        guard case .conflict(let conflict) = try world.modify([.init(draft("n1", "w", tag: tag))]).first else {
            Issue.record("no conflict")
            return
        }
        #expect(conflict.server?.fields == [name("text"): .string("z")])
        #expect(conflict.ancestor == nil)
    }

    @Test(arguments: EngineKind.allCases)
    func `a record that exists cannot be made again without its tag`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.save("n1")
        guard case .conflict(let conflict) = try world.modify([.init(draft("n1", "y"))]).first else {
            Issue.record("no conflict")
            return
        }
        #expect(conflict.ancestor == nil)
    }

    @Test(arguments: SavePolicy.allCases, EngineKind.allCases)
    func `a save with a tag does not undo a deletion`(policy: SavePolicy, engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let tag = try world.save("n1")
        try world.modify(deleting: [.init(name("n1"))], by: World.laptop)
        #expect(try world.modify([.init(draft("n1", "y", tag: tag), policy)]) == [.unknownItem])
        #expect(try world.changes().changed.isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `each policy leaves the fields that it should`(engine: EngineKind) throws {
        let title: FieldName = name("title")
        let text: FieldName = name("text")
        let count: FieldName = name("count")
        for (policy, expected) in [
            (SavePolicy.ifServerRecordUnchanged, [title: FieldValue.string("t2"), count: .integer(1)]),
            (.changedKeys, [title: .string("t2"), count: .integer(1)]),
            (.allKeys, [title: .string("t2")]),
        ] {
            var world = try World.withNotes(on: engine)
            let first = RecordDraft(
                name("n1"), name("Note"), [title: .string("t"), text: .string("x"), count: .integer(1)])
            guard case .saved(let saved)? = try world.modify([.init(first)]).first else { return }
            let second = RecordDraft(
                name("n1"), name("Note"), [title: .string("t2")], removing: [text], changeTag: saved.changeTag)
            try world.modify([.init(second, policy)])
            #expect(try world.changes().changed.first?.fields == expected, "\(policy)")
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `changedKeys and allKeys do not compare tags`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.save("n1")
        let wrong = ChangeTag(incarnation: 9, counter: 9)
        for policy in [SavePolicy.changedKeys, .allKeys] {
            let outcome = try world.modify([.init(draft("n1", "\(policy)", tag: wrong), policy)]).first
            #expect(outcome?.isDone == true)
        }
        #expect(try world.changes().changed.first?.fields == [name("text"): .string("allKeys")])
    }

    @Test(arguments: EngineKind.allCases)
    func `a type never changes`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let tag = try world.save("n1")
        let other = RecordDraft(name("n1"), name("List"), [:], changeTag: tag)
        #expect(try world.modify([.init(other)]) == [.typeDiffers(name("Note"))])
    }

    @Test(arguments: EngineKind.allCases)
    func `a custom zone's batch is refused whole, and names the culprit`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.save("n2")
        let before = try world.engine.tables().records
        let outcomes = try world.modify(
            [.init(draft("n1", "a")), .init(draft("n2", "b")), .init(draft("n3", "c"))],
            deleting: [.init(name("n9"))])
        #expect(outcomes[0] == .batchRequestFailed(culprit: name("n2")))
        #expect(outcomes[2] == .batchRequestFailed(culprit: name("n2")))
        #expect(outcomes[3] == .batchRequestFailed(culprit: name("n2")))
        guard case .conflict = outcomes[1] else {
            Issue.record("\(outcomes[1])")
            return
        }
        #expect(try world.engine.tables().records == before)
    }

    @Test(arguments: EngineKind.allCases)
    func `the default zone does each item that it can`(engine: EngineKind) throws {
        var world = try World(on: engine)
        let zone = World.zone("", World.alice)
        try world.save("n2", in: zone)
        let outcomes = try world.modify(
            [.init(draft("n1", "a")), .init(draft("n2", "b")), .init(draft("n3", "c"))], in: zone)
        #expect(outcomes.map(\.isDone) == [true, false, true])
        #expect(try world.changes(in: zone).changed.map(\.name.text).sorted() == ["n1", "n2", "n3"])
    }

    @Test(arguments: EngineKind.allCases)
    func `a deletion with a tag deletes only that version`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let tag = try world.save("n1")
        let newer = try world.save("n1", "y", tag: tag)
        guard case .conflict = try world.modify(deleting: [.init(name("n1"), changeTag: tag)]).first else {
            Issue.record("no conflict")
            return
        }
        #expect(try world.modify(deleting: [.init(name("n1"), changeTag: newer)]) == [.deleted])
        #expect(try world.modify(deleting: [.init(name("n1"), changeTag: newer)]) == [.deleted])
    }

    @Test(arguments: EngineKind.allCases)
    func `the records of conflicts are omitted where the answer would become too large`(engine: EngineKind) throws {
        var rules = SyncRules()
        rules.limits.requestBytes = 170
        var world = try World.withNotes(on: engine, rules: rules)
        for record in ["n1", "n2", "n3"] { try world.save(record, String(repeating: "x", count: 40)) }
        let outcomes = try world.modify(["n1", "n2", "n3"].map { .init(draft($0, "y")) })
        let servers = outcomes.map { outcome in
            if case .conflict(let conflict) = outcome { conflict.server != nil } else { false }
        }
        #expect(servers == [true, true, false])
    }
}
