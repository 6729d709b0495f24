import Location
import Records

extension Simulation {
    mutating func fetchZones(_ index: Int) throws {
        operations += 1
        let client = clients[index]
        let answer = try world.store.changes(
            of: client.database, since: client.token, limit: pick([1, 2, 10]), by: client.caller)
        guard !(hasFaults && chance(10)) else { return count("pages lost") }
        switch answer {
        case .failure(.changeTokenExpired(.outdated)):
            count("lists expired")
            clients[index].listAgain()
        case .failure(let refusal): report("\(client.device) lists zones: \(refusal)")
        case .success(let page):
            clients[index].apply(page)
            if !page.moreComing { compareList(index) }
        }
    }

    /// A client that has the complete list knows all zones, and which of its copies are not current.
    mutating func compareList(_ index: Int) {
        count("lists complete")
        let client = clients[index]
        let existing = visible(client)
        if client.known != existing { report("\(client.device) knows \(client.known), expected \(existing)") }
        for zone in client.known where !client.dirty.contains(zone) {
            if client.copies[zone]?.records != expected(zone, client) {
                report("\(client.device) does not learn that \(zone.name) has changed")
            }
        }
    }

    mutating func fetch(_ zone: ZoneID, _ index: Int) throws {
        operations += 1
        let client = clients[index]
        let answer = try world.store.changes(
            of: zone, since: client.copies[zone]?.token, limit: pick([1, 3, 8, 400]), by: client.caller)
        guard !(hasFaults && chance(10)) else { return count("pages lost") }
        switch answer {
        case .failure(.changeTokenExpired(let problem)):
            count("tokens \(problem)")
            // A guest may have seen another part of the zone before.
            if problem == .foreign, !client.isGuest {
                report("\(client.device) has a token of \(zone.name) that is foreign")
            }
            clients[index].copies[zone] = SimulatedClient.Copy()
        case .failure(.notPermitted) where client.isGuest:
            count("fetches of guests refused")
            if visible(client).contains(zone) { report("\(client.device) may not fetch \(zone.name)") }
            clients[index].copies[zone] = nil
            clients[index].dirty.remove(zone)
        case .failure(.zoneNotFound):
            if expected(zone) != nil { report("\(zone.name) is not found") }
            clients[index].copies[zone] = nil
            clients[index].dirty.remove(zone)
        case .failure(let refusal): report("\(client.device) fetches \(zone.name): \(refusal)")
        case .success(let page):
            clients[index].apply(page, of: zone)
            if !visible(client).contains(zone) { report("\(client.device) fetches \(zone.name), which it may not see") }
            guard !page.moreComing else { return }
            count("zones complete")
            if clients[index].copies[zone]?.records.count != self.expected(zone)?.count {
                count("parts of zones complete")
            }
            if clients[index].copies[zone]?.records != expected(zone, client) ?? [:] {
                report("\(client.device) has another copy of \(zone.name)")
            }
        }
    }

    mutating func receivePushes(_ index: Int) throws {
        count("pushes received")
        let client = clients[index]
        let pushes = try world.store.pushes(to: client.caller).get()
        let zones = Set(pushes.map(\.zone))
        let expected = Set(client.expectedPushes.keys)
        if !zones.isSuperset(of: expected) || !zones.subtracting(expected).isSubset(of: client.possiblePushes)
            || pushes.count != zones.count
        {
            report("\(client.device) has pushes of \(pushes.map(\.zone.name)), expected \(client.expectedPushes.keys)")
        }
        guard !pushes.isEmpty, !chance(5) else { return }
        if !packets.isEmpty, chance(2) { try deliverAny() }
        _ = try world.store.acknowledge(pushes, by: client.caller)
        // What was pushed again since stays pending.
        for (zone, number) in client.expectedPushes where clients[index].expectedPushes[zone] == number {
            clients[index].expectedPushes[zone] = nil
            count("pushes acknowledged")
        }
    }

    /// Removes what is old; after the end of that, the reason of an old deletion is forgotten.
    mutating func removeOld(limit: Int, untilDone: Bool) throws {
        let oldest = UTCTime(microseconds: world.now.microseconds - 86_400_000_000)
        var mayHaveMore = true
        repeat { mayHaveMore = try world.store.removeOld(at: world.now, limit: limit) } while untilDone && mayHaveMore
        for (zone, time) in deletionTimes where time < oldest {
            let isListed = try world.engine.tables().feed.contains {
                $0.key.zone == zone && $0.key.database == zone.database && $0.value.deletion != nil
            }
            if untilDone, isListed, expected(zone) == nil { report("the deletion of \(zone.name) is not forgotten") }
            guard !isListed else { continue }
            reference.forgetDeletion(of: Self.key(zone))
            deletionTimes[zone] = nil
        }
    }
}
