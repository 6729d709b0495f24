import JSONText
import RecordScript
import Records
import Testing

/// Records that are shared with all that are below them. Alice's zone has
///
///     trip            shared with Bob
///     ├ day1
///     │ └ museum
///     └ day2
///     diary           not shared
///     └ page
@Suite struct HierarchyTests {
    private static let shared = DatabaseID(World.container, .shared(World.bob))
    private static let trip: RecordName = name("trip")
    private static let all = ["day1", "day2", "museum", "trip"]

    private static func child(_ record: String, of parent: String?, _ text: String = "x") -> ModifyRecords.Save {
        var draft = draft(record, text)
        if let parent { draft.fields[.parent] = .reference(name(parent)) } else { draft.removed = [.parent] }
        return ModifyRecords.Save(draft, .changedKeys)
    }

    @discardableResult
    private static func modify(
        _ world: inout World, _ action: ModifySharing.Action, of root: RecordName? = trip, by caller: Caller
    ) throws -> ModifySharingAnswer {
        let request = ModifySharing(World.notes, action, of: root)
        return try world.store.modify(request, by: caller, key: world.nextKey(), at: world.now).answer
    }

    private static func world(
        on engine: EngineKind, _ permission: Participant.Permission = .write, rules: SyncRules = SyncRules()
    ) throws -> World {
        var world = try World.withNotes(on: engine, rules: rules)
        try world.modify([
            child("museum", of: "day1"), child("day1", of: "trip"), child("day2", of: "trip"), child("trip", of: nil),
            child("diary", of: nil), child("page", of: "diary"),
        ])
        #expect(try modify(&world, .invite(World.bob, permission), by: World.phone) == .done)
        #expect(try modify(&world, .accept, by: World.bobs) == .done)
        return world
    }

    /// What Bob has of the zone.
    private struct Copy {
        var names: Set<String> = []
        var token: [UInt8]?
        /// Whether it had to fetch everything.
        var isAnew = false

        mutating func fetch(_ world: World, limit: Int = .max) throws {
            isAnew = false
            while true {
                switch try world.store.changes(of: World.notes, since: token, limit: limit, by: World.bobs) {
                case .failure(.changeTokenExpired(.replaced)): (names, token, isAnew) = ([], nil, true)
                case .failure(let refusal): throw refusal
                case .success(let page):
                    names.formUnion(page.changed.map(\.name.text))
                    names.subtract(page.deleted.map(\.name.text))
                    token = page.token
                    if !page.moreComing { return }
                }
            }
        }
    }

    private static func bobs(_ world: World) throws -> [String] {
        var copy = Copy()
        try copy.fetch(world)
        return copy.names.sorted()
    }

    private static func refused(_ outcomes: [RecordOutcome]) -> [Bool] { outcomes.map { !$0.isDone } }

    @Test(arguments: EngineKind.allCases)
    func `a record is shared with all that are below it, also later ones, and nothing else of its zone`(
        engine: EngineKind
    ) throws {
        var world = try Self.world(on: engine, .read)
        #expect(try world.store.changes(of: Self.shared, since: nil, by: World.bobs).get().changed == [World.notes])
        for limit in [1, 2, .max] {
            var copy = Copy()
            try copy.fetch(world, limit: limit)
            #expect(copy.names.sorted() == Self.all)
        }
        var copy = Copy()
        try copy.fetch(world)
        try world.modify([
            Self.child("painting", of: "museum"), Self.child("blot", of: "page"), Self.child("alone", of: nil),
        ])
        try copy.fetch(world)
        #expect(copy.names.sorted() == (Self.all + ["painting"]).sorted() && !copy.isAnew)
        try world.modify(deleting: [.init(name("painting")), .init(name("blot"))])
        let page = try world.changes(since: copy.token, by: World.bobs)
        #expect(page.deleted.map(\.name.text) == ["painting"])
        // By their names, and by a query, he gets the same.
        let names = ["trip", "museum", "diary", "page", "none"].map { name($0) as RecordName }
        #expect(
            try world.store.records(names, in: World.notes, by: World.bobs).get().map(\.name.text) == [
                "museum", "trip",
            ])
        let query = try #require(Query(name("Note"), .compare(name("text"), .equal, .string("x"))))
        let found = try world.store.find(query, in: World.notes, by: World.bobs).get()
        #expect(found.records.map(\.name.text).sorted() == Self.all)
        #expect(try world.store.participants(of: World.notes, by: World.bobs) == .failure(.notPermitted))
        let carol = World.device("desk", name("carol"))
        #expect(try world.store.changes(of: World.notes, since: copy.token, by: carol) == .failure(.notPermitted))
        // The owner's token is none of his, and his none of the owner's.
        #expect(
            try world.store.changes(of: World.notes, since: world.changes().token, by: World.bobs)
                == .failure(.changeTokenExpired(.replaced)))
        #expect(
            try world.store.changes(of: World.notes, since: copy.token, by: World.phone)
                == .failure(.changeTokenExpired(.foreign)))
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `records that come into a hierarchy or leave it without a change of their own are fetched, or removed`(
        engine: EngineKind
    ) throws {
        var world = try Self.world(on: engine)
        var copy = Copy()
        func fetched(_ names: [String], anew: Bool = true, _ comment: Comment) throws {
            try copy.fetch(world, limit: 2)
            #expect(copy.names.sorted() == names.sorted(), comment)
            #expect(copy.isAnew == anew, comment)
        }
        try fetched(Self.all, anew: false, "first")
        try world.modify([Self.child("diary", of: "day2")])
        try fetched(Self.all + ["diary", "page"], "moved in with what is below")
        try world.modify([Self.child("diary", of: nil)])
        try fetched(Self.all, "moved out")
        try world.modify(deleting: [.init(name("day1"))])
        try fetched(["day2", "trip"], "museum has no parent any more")
        try world.modify([Self.child("day1", of: "day2")])
        try fetched(Self.all, "it has one again")
        try world.modify(deleting: [.init(name("day1")), .init(name("museum"))])
        try fetched(["day2", "trip"], anew: false, "deleted with what was below")
        try world.modify([Self.child("museum", of: "diary")])
        try fetched(["day2", "trip"], "made again elsewhere")
        try world.modify([Self.child("a", of: "b"), Self.child("b", of: "c")])
        try fetched(["day2", "trip"], anew: false, "below nothing that is shared")
        try world.modify([Self.child("c", of: "trip")])
        try fetched(["a", "b", "c", "day2", "trip"], "below something that was made later")
        // A circle is below nothing.
        try world.modify([Self.child("c", of: "a")])
        try fetched(["day2", "trip"], "a circle")
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `who may write changes what is below the shared record, and nothing else`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        func outcomes(
            _ saves: [ModifyRecords.Save], deleting deletions: [String] = []
        ) throws -> [Bool] {
            let deleted = deletions.map { ModifyRecords.Deletion(name($0)) }
            return Self.refused(try world.modify(saves, deleting: deleted, by: World.bobs))
        }
        #expect(
            try outcomes([Self.child("trip", of: nil, "ours"), Self.child("museum", of: "day2")]) == [false, false])
        // In whichever order the request has them.
        #expect(
            try outcomes([Self.child("z", of: "y"), Self.child("y", of: "x"), Self.child("x", of: "day1")])
                == [false, false, false])
        #expect(try outcomes([], deleting: ["z", "z"].suffix(1) + ["none"]) == [false, false])
        #expect(try world.changes().changed.first { $0.name == name("y") }?.created.account == World.bob)
        let refusals: [([ModifyRecords.Save], [String])] = [
            ([Self.child("diary", of: nil, "his")], []), ([Self.child("page", of: "day1")], []),
            ([Self.child("new", of: nil)], []), ([Self.child("new", of: "diary")], []),
            ([Self.child("new", of: "none")], []), ([Self.child("museum", of: "page")], []),
            ([Self.child("museum", of: nil)], []), ([Self.child("trip", of: "day1")], []),
            ([Self.child("new", of: "new")], []), ([Self.child("u", of: "v"), Self.child("v", of: "u")], []),
            ([], ["diary"]), ([], ["page"]), ([], ["trip"]),
        ]
        let before = try world.engine.tables().records
        for (saves, deletions) in refusals {
            let first = try #require(
                try world.modify(
                    saves, deleting: deletions.map { .init(name($0)) }, by: World.bobs
                ).first)
            #expect(first == .notPermitted, "\(saves) \(deletions)")
        }
        #expect(try world.engine.tables().records == before)
        // A conflict shows what he may read; of the others not even that there is one.
        var stale = draft("diary", "his", tag: try #require(world.changes().changed.first).changeTag)
        stale.name = name("diary")
        #expect(try world.modify([.init(stale)], by: World.bobs) == [.notPermitted])
        guard case .conflict(let conflict)? = try world.modify([.init(draft("day1", "his"))], by: World.bobs).first
        else {
            Issue.record("no conflict")
            return
        }
        #expect(conflict.server?.name == name("day1"))
        #expect(try Self.modify(&world, .invite(World.bob, .read), by: World.phone) == .done)
        let request = ModifyRecords(World.notes, saves: [Self.child("day1", of: "trip", "his")])
        let reply = try world.store.modify(request, by: World.bobs, key: world.nextKey(), at: world.now)
        #expect(reply.answer == .refused(.notPermitted))
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `a version from before a record was shared is in no conflict but the owner's`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        let diary: RecordName = name("diary")
        let text: FieldName = name("text")
        try world.modify([Self.child("diary", of: nil, "secret")])
        let secret = try #require(world.changes().changed.first(where: { $0.name == diary })).changeTag
        try world.modify([Self.child("diary", of: "trip", "public")])
        let latest = try #require(world.changes().changed.first(where: { $0.name == diary })).changeTag
        /// The texts of the ancestors with which a save and a deletion of the secret version are answered.
        func ancestors(by caller: Caller) throws -> [FieldValue?] {
            let saved = try world.modify([.init(draft("diary", "theirs", tag: secret))], by: caller)
            let deleted = try world.modify(deleting: [.init(diary, changeTag: secret)], by: caller)
            return try [saved, deleted].map { (outcomes) throws -> FieldValue? in
                guard case .conflict(let conflict)? = outcomes.first else { throw World.Missing(outcomes: outcomes) }
                #expect(conflict.serverChangeTag == latest)
                #expect(conflict.server?.fields[text] == .string("public"))
                return conflict.ancestor?.fields[text]
            }
        }
        let (none, secrets): ([FieldValue?], [FieldValue?]) = ([nil, nil], [.string("secret"), .string("secret")])
        #expect(try ancestors(by: World.bobs) == none)
        #expect(try ancestors(by: World.phone) == secrets)
        // The whole zone may also be shared later than a record was changed.
        #expect(try Self.modify(&world, .invite(World.bob, .write), of: nil, by: World.phone) == .done)
        #expect(try Self.modify(&world, .accept, of: nil, by: World.bobs) == .done)
        #expect(try ancestors(by: World.bobs) == none)
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `withdrawing a record takes effect with the answer, and what else is shared stays`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        func list(since token: [UInt8]?) throws -> DatabaseChanges {
            try world.store.changes(of: Self.shared, since: token, by: World.bobs).get()
        }
        let diary: RecordName = name("diary")
        #expect(try Self.modify(&world, .invite(World.bob, .read), of: diary, by: World.phone) == .done)
        #expect(try Self.bobs(world) == Self.all, "not accepted yet")
        let offered = try world.store.sharedZones(in: World.container, by: World.bobs).get()
        #expect(offered.map { $0.root?.text } == ["diary", "trip"] && offered.map(\.hasAccepted) == [false, true])
        #expect(try Self.modify(&world, .accept, of: diary, by: World.bobs) == .done)
        var copy = Copy()
        try copy.fetch(world)
        #expect(copy.names.sorted() == (Self.all + ["diary", "page"]).sorted())
        #expect(
            Self.refused(try world.modify([Self.child("page", of: "diary", "his")], by: World.bobs)) == [true],
            "only for reading")
        var token = try list(since: nil).token
        #expect(try Self.modify(&world, .withdraw(World.bob), by: World.phone) == .done)
        #expect(try Self.bobs(world) == ["diary", "page"])
        let names = [Self.trip, name("museum")]
        #expect(try world.store.records(names, in: World.notes, by: World.bobs) == .success([]))
        try copy.fetch(world)
        #expect(copy.isAnew && copy.names == ["diary", "page"])
        var changes = try list(since: token)
        #expect(changes.changed == [World.notes] && changes.deleted.isEmpty)
        token = changes.token
        #expect(try Self.modify(&world, .accept, by: World.bobs) == .refused(.notPermitted))
        #expect(try Self.modify(&world, .leave, of: diary, by: World.bobs) == .done)
        #expect(try world.store.changes(of: World.notes, since: nil, by: World.bobs) == .failure(.notPermitted))
        changes = try list(since: token)
        #expect(changes.deleted == [.init(World.notes, .withdrawn)])
        // A token from before is worth nothing when the same record is shared again.
        #expect(try Self.modify(&world, .invite(World.bob, .read), of: diary, by: World.phone) == .done)
        #expect(try Self.modify(&world, .accept, of: diary, by: World.bobs) == .done)
        try copy.fetch(world)
        #expect(copy.isAnew && copy.names == ["diary", "page"])
        // With the whole zone as well, and without it again.
        #expect(try Self.modify(&world, .invite(World.bob, .read), of: nil, by: World.phone) == .done)
        #expect(try Self.modify(&world, .accept, of: nil, by: World.bobs) == .done)
        #expect(try Self.bobs(world) == (Self.all + ["diary", "page"]).sorted())
        token = try list(since: nil).token
        #expect(try Self.modify(&world, .withdraw(World.bob), of: nil, by: World.phone) == .done)
        changes = try list(since: token)
        #expect(changes.changed == [World.notes] && changes.deleted.isEmpty)
        try copy.fetch(world)
        #expect(copy.names == ["diary", "page"])
        // The owner deletes the record.
        try world.modify(deleting: [.init(diary)])
        #expect(try world.store.changes(of: World.notes, since: nil, by: World.bobs) == .failure(.notPermitted))
        #expect(try list(since: changes.token).deleted == [.init(World.notes, .withdrawn)])
        try world.modify([Self.child("diary", of: nil)])
        #expect(try world.store.changes(of: World.notes, since: nil, by: World.bobs) == .failure(.notPermitted))
        #expect(try world.store.participants(of: World.notes, by: World.phone) == .success([]))
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `changes are listed and pushed to those who share something above them, and to no others`(
        engine: EngineKind
    ) throws {
        var world = try Self.world(on: engine)
        for caller in [World.phone, World.bobs] { #expect(try world.register(caller) == nil) }
        let query = try #require(Query(name("Note")))
        let subject = Subscription.Subject.query(QuerySubject(query, on: [.create, .update, .delete]))
        #expect(
            try world.store.subscribe(Subscription(name("q"), subject), in: Self.shared, by: World.bobs).answer == nil)
        #expect(
            try world.store.subscribe(Subscription(name("all"), .database), in: Self.shared, by: World.bobs).answer
                == nil)
        func pushed(_ saves: [ModifyRecords.Save], deleting deletions: [String] = []) throws -> [String] {
            try world.modify(saves, deleting: deletions.map { .init(name($0)) }, by: World.laptop)
            let pushes = try world.store.pushes(to: World.bobs).get()
            #expect(try world.store.acknowledge(pushes, by: World.bobs) == nil)
            return pushes.map { $0.subscription?.text ?? "zone" }
        }
        #expect(try pushed([Self.child("page", of: "diary", "secret"), Self.child("new", of: nil)]) == [])
        #expect(try pushed([Self.child("museum", of: "day1", "open")]) == ["zone", "q"])
        #expect(try pushed([], deleting: ["museum"]) == ["zone", "q"])
        #expect(try pushed([], deleting: ["page"]) == [])
        // Of a record that leaves the zone has changed for him, and no record that he could read.
        #expect(try pushed([Self.child("day2", of: "diary")]) == ["zone"])
        #expect(try pushed([Self.child("day2", of: "diary", "y")]) == [])
        #expect(try pushed([Self.child("day2", of: "day1")]) == ["zone", "q"])
        #expect(try pushed([], deleting: ["trip"]) == ["zone"], "withdrawn")
        #expect(try pushed([Self.child("day1", of: "trip")]) == [])
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `what cannot be shared is refused`(engine: EngineKind) throws {
        var rules = SyncRules()
        rules.limits.participants = 2
        rules.limits.recordParticipants = 3
        rules.limits.hierarchy = 4
        var world = try Self.world(on: engine, rules: rules)
        #expect(
            try Self.modify(&world, .invite(World.bob, .read), of: name("none"), by: World.phone)
                == .refused(.unknownItem))
        #expect(try Self.modify(&world, .invite(name("carol"), .read), by: World.bobs) == .refused(.notPermitted))
        let carol = World.device("desk", name("carol"))
        #expect(try Self.modify(&world, .accept, by: carol) == .refused(.notPermitted))
        #expect(try Self.modify(&world, .accept, of: name("day1"), by: World.bobs) == .refused(.notPermitted))
        #expect(try Self.modify(&world, .accept, of: nil, by: World.bobs) == .refused(.notPermitted))
        #expect(try Self.modify(&world, .invite(name("carol"), .read), by: World.phone) == .done)
        #expect(
            try Self.modify(&world, .invite(name("dora"), .read), by: World.phone)
                == .refused(.limitExceeded(.participants, most: 2)))
        #expect(try Self.modify(&world, .invite(World.bob, .read), of: name("day1"), by: World.phone) == .done)
        #expect(
            try Self.modify(&world, .invite(World.bob, .read), of: name("day2"), by: World.phone)
                == .refused(.limitExceeded(.recordParticipants, most: 3)))
        #expect(try Self.modify(&world, .invite(World.bob, .read), of: nil, by: World.phone) == .done)
        #expect(try Self.bobs(world) == Self.all)
        try world.modify([Self.child("day3", of: "trip")])
        #expect(
            try world.store.changes(of: World.notes, since: nil, by: World.bobs)
                == .failure(.limitExceeded(.hierarchy, most: 4)))
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test func `requests and lists about a record are written as they are read`() throws {
        for action in [ModifySharing.Action.invite(World.bob, .write), .withdraw(World.bob), .accept, .leave] {
            let request = ModifySharing(World.notes, action, of: Self.trip)
            #expect(try ModifySharing(World.notes, json: request.json) == request)
            #expect(String(decoding: request.json, as: UTF8.self).hasSuffix(#","record":"trip"}"#))
        }
        let participants = [
            Participant(World.bob, .read), Participant(World.bob, .write, hasAccepted: true, of: Self.trip),
        ]
        #expect(try [Participant](json: participants.json) == participants)
        let zones = [SharedZone(World.notes, .read, hasAccepted: false, of: Self.trip)]
        #expect(try [SharedZone](World.container, json: zones.json) == zones)
        #expect(throws: FormatError.self) {
            try ModifySharing(World.notes, json: Array(#"{"accept":true,"record":""}"#.utf8))
        }
    }
}
