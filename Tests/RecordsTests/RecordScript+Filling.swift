import RecordScript
import Records

extension RecordScript {
    /// Fills every table of an engine.
    static func fill<Engine: RecordEngine>(_ engine: Engine) throws {
        let store = RecordStore(engine, try TestSigner())
        try prepare(store)
        for number in 0..<5 { _ = try perform(number, store) }
        let deletion = ModifyRecords(zone, deletions: [.init(made(1))])
        _ = try store.modify(deletion, by: caller, key: name("deletion"), at: time(10))
        let owner = account
        let list = ZoneID(container, owner: owner, name("lists"))
        for (key, saves, deletions) in [("a", [list.name], []), ("b", [], [list.name]), ("c", [list.name], [])] {
            let request = ModifyZones(container, of: owner, saves: saves, deletions: deletions)
            _ = try store.modify(request, by: caller, key: name(key), at: time(11))
        }
        let invitation = ModifySharing(zone, .invite(name("bob"), .write))
        _ = try store.modify(invitation, by: caller, key: name("d"), at: time(12))
        let bob = Caller.device(name("tablet"), of: name("bob"))
        let shared = ModifySharing(zone, .accept)
        _ = try store.modify(shared, by: bob, key: name("e"), at: time(13))
        let request = ModifyRecords(
            ZoneID(container, owner: nil, .defaultZone), saves: [.init(draft("p", "x"))])
        _ = try store.modify(request, by: bob, key: name("f"), at: time(14))
        _ = try store.replaceSchema(of: container.name, by: Schema([TypeDefinition(name("Note"))]))
        let subscription = Subscription(name("zone"), .zone(zone))
        _ = try store.subscribe(subscription, in: zone.database, by: caller)
    }
}
