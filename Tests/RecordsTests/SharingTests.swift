import Records
import Testing

@Suite struct SharingTests {
    private static let shared = DatabaseID(World.container, .shared(World.bob))

    @discardableResult
    private static func modify(
        _ world: inout World, _ action: ModifySharing.Action, by caller: Caller, zone: ZoneID = World.notes
    ) throws -> Reply<ModifySharingAnswer> {
        let request = ModifySharing(zone, action)
        return try world.store.modify(request, by: caller, key: world.nextKey(), at: world.now)
    }

    /// A world in which Alice shares her notes with Bob, who has accepted.
    private static func world(
        on engine: EngineKind, _ permission: Participant.Permission = .write
    ) throws -> World {
        var world = try World.withNotes(on: engine)
        try modify(&world, .invite(World.bob, permission), by: World.phone)
        #expect(try modify(&world, .accept, by: World.bobs).answer == .done)
        return world
    }

    private static func list(_ world: World, since token: [UInt8]? = nil) throws -> DatabaseChanges {
        try world.store.changes(of: shared, since: token, by: World.bobs).get()
    }

    @Test(arguments: EngineKind.allCases)
    func `a shared zone is seen once the invitation is accepted`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.save("n1", "milk")
        let start = try Self.list(world)
        try Self.modify(&world, .invite(World.bob, .read), by: World.phone)
        #expect(try world.store.changes(of: World.notes, since: nil, by: World.bobs) == .failure(.notPermitted))
        #expect(try Self.list(world, since: start.token).changed.isEmpty)
        try Self.modify(&world, .accept, by: World.bobs)
        #expect(try Self.list(world, since: start.token).changed == [World.notes])
        #expect(try world.changes(by: World.bobs).changed.count == 1)
        let participants = try world.store.participants(of: World.notes, by: World.phone)
        #expect(participants == .success([Participant(World.bob, .read, hasAccepted: true)]))
    }

    @Test(arguments: EngineKind.allCases)
    func `who may read does not write, and who may write does`(engine: EngineKind) throws {
        var world = try Self.world(on: engine, .read)
        let request = ModifyRecords(World.notes, saves: [.init(draft("n1", "x"))])
        let refused = try world.store.modify(request, by: World.bobs, key: world.nextKey(), at: world.now)
        #expect(refused.answer == .refused(.notPermitted))
        try Self.modify(&world, .invite(World.bob, .write), by: World.laptop)
        try world.save("n1", by: World.bobs)
        #expect(try world.changes().changed.first?.created.account == World.bob)
    }

    @Test(arguments: EngineKind.allCases)
    func `changes are listed for both accounts, and pushed to the devices of both`(engine: EngineKind) throws {
        let world = try Self.world(on: engine)
        for (caller, database) in [
            (World.phone, World.database(World.alice)), (World.laptop, World.database(World.alice)),
            (World.bobs, Self.shared),
        ] {
            _ = try world.register(caller)
            _ = try world.store.subscribe(Subscription(name("all"), .database), in: database, by: caller)
        }
        let (mine, his) = (try world.databaseChanges().token, try Self.list(world).token)
        let request = ModifyRecords(World.notes, saves: [.init(draft("n1", "x"))])
        let reply = try world.store.modify(request, by: World.phone, key: name("k"), at: world.now)
        #expect(Set(reply.pushes.map(\.target.device.text)) == ["laptop", "tablet"])
        #expect(Set(reply.pushes.map(\.database)) == [World.database(World.alice), Self.shared])
        #expect(try world.databaseChanges(since: mine).changed == [World.notes])
        #expect(try Self.list(world, since: his).changed == [World.notes])
    }

    @Test(arguments: EngineKind.allCases)
    func `withdrawing takes effect with the answer, whatever the other account has`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        try world.save("n1")
        let token = try world.changes(by: World.bobs).token
        let list = try Self.list(world).token
        #expect(try Self.modify(&world, .withdraw(World.bob), by: World.phone).answer == .done)
        for since in [nil, token] {
            #expect(try world.store.changes(of: World.notes, since: since, by: World.bobs) == .failure(.notPermitted))
        }
        #expect(try world.store.records([name("n1")], in: World.notes, by: World.bobs) == .failure(.notPermitted))
        let request = ModifyRecords(World.notes, saves: [.init(draft("n1", "x"), .allKeys)])
        let reply = try world.store.modify(request, by: World.bobs, key: name("k"), at: world.now)
        #expect(reply.answer == .refused(.notPermitted))
        #expect(try Self.list(world, since: list).deleted == [.init(World.notes, .withdrawn)])
        // He cannot accept again what was withdrawn.
        #expect(try Self.modify(&world, .accept, by: World.bobs).answer == .refused(.notPermitted))
        try world.save("n2")
        #expect(try Self.list(world, since: list).changed.isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `an invitation that arrives again after the withdrawal does not invite again`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let invitation = ModifySharing(World.notes, .invite(World.bob, .write))
        _ = try world.store.modify(invitation, by: World.phone, key: name("i"), at: world.now)
        try Self.modify(&world, .withdraw(World.bob), by: World.phone)
        let again = try world.store.modify(invitation, by: World.phone, key: name("i"), at: world.now)
        #expect(again == Reply(.done, isRepeated: true))
        #expect(try Self.modify(&world, .accept, by: World.bobs).answer == .refused(.notPermitted))
    }

    @Test(arguments: EngineKind.allCases)
    func `the push of a withdrawal is not removed with that of an earlier change`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        _ = try world.register(World.bobs)
        _ = try world.store.subscribe(Subscription(name("all"), .database), in: Self.shared, by: World.bobs)
        try world.save("n1")
        let pushes = try world.store.pushes(to: World.bobs).get()
        try Self.modify(&world, .withdraw(World.bob), by: World.phone)
        _ = try world.store.acknowledge(pushes, by: World.bobs)
        #expect(try world.store.pushes(to: World.bobs).get().map(\.zone) == [World.notes])
    }

    @Test(arguments: EngineKind.allCases)
    func `a zone that is left is listed as deleted, and can be shared again`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        let list = try Self.list(world).token
        try Self.modify(&world, .leave, by: World.bobs)
        #expect(try Self.list(world, since: list).deleted.count == 1)
        try Self.modify(&world, .invite(World.bob, .read), by: World.phone)
        try Self.modify(&world, .accept, by: World.bobs)
        let changes = try Self.list(world, since: list)
        #expect(changes.changed == [World.notes] && changes.deleted.map(\.reason) == [.withdrawn])
    }

    @Test(arguments: [ZoneDeletionReason.deleted, .purged, .encryptedDataReset], EngineKind.allCases)
    func `a shared zone that its owner deletes is withdrawn from the others`(
        reason: ZoneDeletionReason, engine: EngineKind
    ) throws {
        var world = try Self.world(on: engine)
        let list = try Self.list(world).token
        try world.delete("notes", reason: reason)
        #expect(try Self.list(world, since: list).deleted == [.init(World.notes, .withdrawn)])
        try world.make("notes")
        #expect(try world.store.changes(of: World.notes, since: nil, by: World.bobs) == .failure(.notPermitted))
        #expect(try Self.list(world, since: list).changed.isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `only the owner shares, withdraws, deletes and sees with whom a zone is shared`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        let carol = World.device("desk", name("carol"))
        for action in [ModifySharing.Action.invite(name("carol"), .write), .withdraw(World.bob)] {
            for caller in [carol, World.bobs] where !(caller == World.bobs && action == .withdraw(World.bob)) {
                #expect(try Self.modify(&world, action, by: caller).answer == .refused(.notPermitted))
            }
        }
        #expect(try Self.modify(&world, .accept, by: carol).answer == .refused(.notPermitted))
        #expect(try Self.modify(&world, .accept, by: .anonymous).answer == .refused(.notAuthenticated))
        #expect(try world.store.participants(of: World.notes, by: World.bobs) == .failure(.notPermitted))
        let zones = ModifyZones(World.container, of: World.alice, deletions: [name("notes")])
        let reply = try world.store.modify(zones, by: World.bobs, key: name("z"), at: world.now)
        #expect(reply.answer == .refused(.notPermitted))
        #expect(try Self.modify(&world, .leave, by: carol).answer == .done)
        #expect(try world.changes(by: World.bobs).changed.isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `what contradicts itself is refused`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        #expect(
            try Self.modify(&world, .invite(World.alice, .read), by: World.phone).answer
                == .refused(.invalidRequest(.ownZone)))
        let zone = World.zone("", World.alice)
        #expect(
            try Self.modify(&world, .invite(World.bob, .read), by: World.phone, zone: zone).answer
                == .refused(.invalidRequest(.defaultZone)))
        let open = World.zone("", nil)
        #expect(
            try Self.modify(&world, .accept, by: World.bobs, zone: open).answer
                == .refused(.invalidRequest(.publicDatabase)))
        let missing = World.zone("missing", World.alice)
        #expect(
            try Self.modify(&world, .invite(World.bob, .read), by: World.phone, zone: missing).answer
                == .refused(.zoneNotFound(nil)))
    }

    @Test(arguments: EngineKind.allCases)
    func `a zone is shared with a limited number of accounts`(engine: EngineKind) throws {
        var rules = SyncRules()
        rules.limits.participants = 1
        var world = try World.withNotes(on: engine, rules: rules)
        #expect(try Self.modify(&world, .invite(World.bob, .read), by: World.phone).answer == .done)
        #expect(try Self.modify(&world, .invite(World.bob, .write), by: World.phone).answer == .done)
        #expect(
            try Self.modify(&world, .invite(name("carol"), .read), by: World.phone).answer
                == .refused(.limitExceeded(.participants, most: 1)))
    }
}
