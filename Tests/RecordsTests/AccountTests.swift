import Records
import Testing

@Suite struct AccountTests {
    private static let tablet = AccountDevice(World.alice, name("tablet"))

    /// A world in which the tablet has joined with the code `code` and the token `token`.
    private static func world(on engine: EngineKind) throws -> World {
        let world = try World.withNotes(on: engine)
        _ = try world.store.invite(tablet, code: [1, 2], for: 900, at: world.now).get()
        _ = try world.store.join(code: [1, 2], token: [3, 4], at: world.now).get()
        return world
    }

    @Test(arguments: EngineKind.allCases)
    func `an invited device joins once, and is known by its token only`(engine: EngineKind) throws {
        let world = try World(on: engine)
        let invitation = try world.store.invite(Self.tablet, code: [1, 2], for: 900, at: world.now).get()
        #expect(invitation.code != [1, 2])
        #expect(try world.store.caller(token: [1, 2]) == nil)
        #expect(try world.store.join(code: [1], token: [3, 4], at: world.now) == .failure(.unknownCode))
        let device = try world.store.join(code: [1, 2], token: [3, 4], at: world.now).get()
        #expect(device.id == Self.tablet && device.token != [3, 4])
        #expect(try world.store.join(code: [1, 2], token: [5], at: world.now) == .failure(.unknownCode))
        #expect(try world.store.caller(token: [3, 4]) == .device(Self.tablet.device, of: World.alice))
        #expect(try world.store.caller(token: [3]) == nil)
        #expect(try world.store.caller(token: device.token) == nil)
        #expect(try world.store.devices(limit: 10).map(\.id) == [Self.tablet])
        #expect(try world.store.invitations(limit: 10).isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `a code expires, and a newer one replaces it`(engine: EngineKind) throws {
        var world = try World(on: engine)
        _ = try world.store.invite(Self.tablet, code: [1], for: 900, at: world.now).get()
        _ = try world.store.invite(Self.tablet, code: [2], for: 900, at: world.now).get()
        #expect(try world.store.join(code: [1], token: [9], at: world.now) == .failure(.unknownCode))
        let before = world.now
        world.wait(days: 900.0 / 86_400)
        #expect(try world.store.join(code: [2], token: [9], at: world.now) == .failure(.unknownCode))
        world.now = before
        #expect(try world.store.join(code: [2], token: [9], at: world.now).get().id == Self.tablet)
    }

    @Test(arguments: EngineKind.allCases)
    func `a name is used once in an account, and again after its device was removed`(engine: EngineKind) throws {
        let world = try Self.world(on: engine)
        #expect(try world.store.invite(Self.tablet, code: [5], for: 900, at: world.now) == .failure(.deviceExists))
        let other = AccountDevice(World.bob, Self.tablet.device)
        _ = try world.store.invite(other, code: [6], for: 900, at: world.now).get()
        #expect(try world.store.remove(Self.tablet) == nil)
        #expect(try world.store.remove(Self.tablet) == .unknownDevice)
        #expect(try world.store.caller(token: [3, 4]) == nil)
        _ = try world.store.invite(Self.tablet, code: [7], for: 900, at: world.now).get()
        #expect(try world.store.join(code: [7], token: [8], at: world.now).get().id == Self.tablet)
        #expect(try world.store.caller(token: [3, 4]) == nil)
    }

    @Test(arguments: EngineKind.allCases)
    func `nothing is pushed to a removed device, nor to the next one of its name`(engine: EngineKind) throws {
        var world = try Self.world(on: engine)
        let caller = Caller.device(Self.tablet.device, of: World.alice)
        #expect(try world.store.register(in: World.container, by: caller) == nil)
        let subscription = Subscription(name("all"), .database)
        _ = try world.store.subscribe(subscription, in: World.database(World.alice), by: caller)
        try world.save("n1")
        #expect(try world.store.pushes(to: caller).get().count == 1)
        #expect(try world.store.remove(Self.tablet) == nil)
        #expect(try world.store.pushes(to: caller).get().isEmpty)
        try world.save("n2")
        #expect(try world.store.pushes(to: caller).get().isEmpty)
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `a device that another hub removes after its token was checked is not registered`(engine: EngineKind) throws {
        let world = try Self.world(on: engine)
        let caller = try #require(try world.store.caller(token: [3, 4]))
        #expect(try world.store.remove(Self.tablet) == nil)
        #expect(try world.store.register(in: World.container, by: caller) == .notAuthenticated)
        #expect(try world.engine.tables().devices.isEmpty)
        #expect(world.engine.violations.isEmpty, "\(world.engine.violations)")
    }

    @Test(arguments: EngineKind.allCases)
    func `an account has a limited number of devices and invitations that are accepted`(engine: EngineKind) throws {
        var rules = SyncRules()
        rules.limits.devices = 3
        var world = try World(on: engine, rules: rules)
        for number in 0..<3 {
            let device = AccountDevice(World.alice, name("d\(number)"))
            _ = try world.store.invite(device, code: [UInt8(number)], for: 900, at: world.now).get()
        }
        #expect(try world.store.invite(Self.tablet, code: [9], for: 900, at: world.now) == .failure(.tooMany(3)))
        _ = try world.store.join(code: [0], token: [0], at: world.now).get()
        #expect(try world.store.invite(Self.tablet, code: [9], for: 900, at: world.now) == .failure(.tooMany(3)))
        world.wait(days: 1)
        _ = try world.store.invite(Self.tablet, code: [9], for: 900, at: world.now).get()
        #expect(try world.store.invitations(limit: 10).map(\.id) == [Self.tablet])
    }

    @Test(arguments: EngineKind.allCases)
    func `all devices are listed in pages`(engine: EngineKind) throws {
        let world = try World(on: engine)
        var expected: [AccountDevice] = []
        for (number, account) in [World.bob, World.alice, World.bob, World.alice, World.alice].enumerated() {
            let device = AccountDevice(account, name("d\(number)"))
            expected.append(device)
            _ = try world.store.invite(device, code: [UInt8(number)], for: 900, at: world.now).get()
            if number % 2 == 0 {
                _ = try world.store.join(code: [UInt8(number)], token: [UInt8(number)], at: world.now)
            }
        }
        var found: [AccountDevice] = []
        while true {
            let page = try world.store.devices(after: found.last, limit: 2)
            found += page.map(\.id)
            if page.count < 2 { break }
        }
        #expect(found == expected.enumerated().filter { $0.offset % 2 == 0 }.map(\.element).sorted())
        #expect(try world.store.invitations(limit: 10).map(\.id) == [expected[3], expected[1]].sorted())
    }

    @Test(arguments: EngineKind.allCases)
    func `an account sees the zones it is invited to, and those that it shares`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.make("lists")
        for (zone, permission) in [("notes", Participant.Permission.read), ("lists", .write)] {
            let request = ModifySharing(World.zone(zone, World.alice), .invite(World.bob, permission))
            #expect(
                try world.store.modify(request, by: World.phone, key: world.nextKey(), at: world.now).answer == .done)
        }
        let accept = ModifySharing(World.notes, .accept)
        _ = try world.store.modify(accept, by: World.bobs, key: world.nextKey(), at: world.now)
        let zones = try world.store.sharedZones(in: World.container, by: World.bobs).get()
        #expect(
            zones == [
                SharedZone(World.zone("lists", World.alice), .write, hasAccepted: false),
                SharedZone(World.notes, .read, hasAccepted: true),
            ])
        #expect(try world.store.sharedZones(in: World.container, by: World.phone).get().isEmpty)
        #expect(try world.store.sharedZones(in: World.container, by: .anonymous) == .failure(.notAuthenticated))
    }
}
