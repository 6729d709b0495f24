import Containers
import Records
import Storage
import TestSupport
import Testing

@testable import Sync

/// Answers of the hub that are applied after something has happened that they do not have yet.
@Suite struct OvertakenAnswerTests {
    private let folder: TemporaryDirectory
    private let cache: SyncCache

    init() throws {
        folder = try TemporaryDirectory()
        cache = try SyncCache(folder: folder.path)
        try cache.write { (tables) throws(StorageError) in
            try tables.join(.test())
            let container = try tables.open(SimulatedMachine.container)
            try tables.markRegistered(container.id)
        }
    }

    private func next() throws -> SyncWork? {
        try cache.read { (tables) throws(StorageError) in try tables.nextWork() }
    }

    /// The database that is fetched next; nil if something else is done.
    private func nextDatabase() throws -> DatabaseScope? {
        guard case .fetchDatabase(_, let scope, _, _)? = try next() else { return nil }
        return scope
    }

    /// The database whose subscriptions with alerts are read next; nil if something else is done.
    private func nextAlerts() throws -> DatabaseScope? {
        guard case .fetchAlerts(_, let database)? = try next() else { return nil }
        return database
    }

    private func answer(_ work: SyncWork?, _ body: [UInt8]) throws {
        let step = WorkStep(work: try #require(work))
        #expect(try step.apply(.done(body), to: cache) == .next)
    }

    private func page(moreComing: Bool = false) -> [UInt8] {
        var page = DatabaseChanges()
        (page.token, page.moreComing) = ([1], moreComing)
        return page.json
    }

    private func receivePush(_ subscription: SubscriptionName? = nil, ofPublic: Bool = false) throws {
        let target = PushTarget(SimulatedMachine.container, named("alice"), named("laptop"))
        let zone = ZoneID(SimulatedMachine.container, owner: ofPublic ? nil : named("alice"), .defaultZone)
        let pushes = [Push(target, zone.database, zone, subscription, 7)]
        try cache.write { (tables) throws(StorageError) in try tables.apply(pushes) }
    }

    private func markAllStale() throws {
        try cache.write { (tables) throws(StorageError) in try tables.markAllStale() }
    }

    private func readAllAlerts() throws {
        while try nextAlerts() != nil { try answer(next(), [Subscription]().json) }
    }

    /// Fetches everything, so that nothing is left to do.
    private func rest() throws {
        try readAllAlerts()
        while try nextDatabase() != nil { try answer(next(), page()) }
        #expect(try next() == nil)
    }

    @Test(arguments: [false, true]) func `a push that overtakes the answer to a fetch leads to another fetch`(
        moreComing: Bool
    ) throws {
        try rest()
        try receivePush()
        if moreComing {
            try answer(next(), page(moreComing: true))
            #expect(try nextDatabase() == .private)
        }
        let fetch = try next()
        #expect(try nextDatabase() == .private)
        try receivePush()
        try answer(fetch, page())
        #expect(try nextDatabase() == .private)
        try answer(next(), page())
        #expect(try next() == nil)
    }

    @Test func `what is marked while a page is fetched that is not the last one is fetched with the others`() throws {
        try rest()
        try receivePush()
        let fetch = try next()
        try receivePush()
        try answer(fetch, page(moreComing: true))
        #expect(try nextDatabase() == .private)
        try answer(next(), page())
        #expect(try next() == nil)
    }

    @Test func `a synchronization that is requested during a fetch fetches once more`() throws {
        try rest()
        try receivePush()
        let fetch = try next()
        try markAllStale()
        try answer(fetch, page())
        try readAllAlerts()
        #expect(try nextDatabase() == .private)
        try rest()
    }

    @Test func `a push about subscriptions that overtakes the list of them leads to another list`() throws {
        try rest()
        try receivePush(.alerts)
        let list = try next()
        #expect(try nextAlerts() == .private)
        try receivePush(.alerts)
        try answer(list, [Subscription]().json)
        #expect(try nextAlerts() == .private)
        try rest()
    }

    @Test func `an alert of a subscription that is newer than the list in progress stays until it is read`() throws {
        try rest()
        try receivePush(.alerts)
        while try nextAlerts() != .public { try answer(next(), [Subscription]().json) }
        let list = try next()
        try receivePush(.alerts)
        try receivePush(named("severe"), ofPublic: true)
        try answer(list, [Subscription]().json)
        #expect(try hasAlerts())
        // The present list does not have the subscription, so that nobody knows what the alert says.
        try readAllAlerts()
        #expect(try !hasAlerts())
    }

    private func hasAlerts() throws -> Bool {
        try cache.read { (tables) throws(StorageError) in try tables.hasAlerts() }
    }

    // Zones

    private func modify(saving saves: [ZoneName] = [], deleting deletions: [ZoneName] = []) throws {
        let refusal = try cache.write { (tables) throws(StorageError) -> EditRefusal? in
            let container = try tables.open(SimulatedMachine.container)
            return try tables.modify(container, of: named("alice"), saving: saves, deleting: deletions)
        }
        #expect(refusal == nil)
    }

    private func prepare() throws -> SyncWork? {
        try cache.write { (tables) throws(StorageError) in
            _ = try tables.prepare(key: "k", of: named("alice"), most: 400, at: 0)
            return try tables.nextWork()
        }
    }

    private func refuse(_ work: SyncWork?) throws {
        let step = WorkStep(work: try #require(work))
        let refusal = Refusal.limitExceeded(.zones, most: 1)
        #expect(try step.apply(.refused(refusal, message: "There are too many zones."), to: cache) == .next)
    }

    private func names(_ statement: SyncStatement) throws -> [ZoneName] {
        try cache.read { (tables) throws(StorageError) in
            guard let container = try tables.find(SimulatedMachine.container) else { return [] }
            return try tables.zones(statement, in: container).map(\.zone.name)
        }
    }

    @Test func `a refused request to make zones gives up only those that it names`() throws {
        try rest()
        try modify(saving: [named("z1")])
        let request = try prepare()
        try modify(saving: [named("z2")])
        try refuse(request)
        #expect(try names(.readZones) == [named("z2")])
        #expect(try names(.readZonesToMake) == [named("z2")])
    }

    @Test func `a zone that is made again during a request that is refused is still to be made`() throws {
        try rest()
        try modify(saving: [named("z1")])
        let request = try prepare()
        try modify(deleting: [named("z1")])
        try modify(saving: [named("z1")])
        try refuse(request)
        #expect(try names(.readZonesToDelete) == [named("z1")])
        #expect(try names(.readZonesToMake) == [named("z1")])
    }

    @Test func `a refused request to delete zones gives up only those that it names`() throws {
        try rest()
        try modify(saving: [named("z1"), named("z2")])
        try answer(prepare(), ModifyZonesAnswer.outcomes([.saved, .saved]).json)
        #expect(try names(.readZonesToMake) == [])
        try modify(deleting: [named("z1")])
        let request = try prepare()
        try modify(deleting: [named("z2")])
        try refuse(request)
        #expect(try names(.readZonesToDelete) == [named("z2")])
    }
}
