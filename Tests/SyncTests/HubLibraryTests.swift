import TestHubs
import TestSupport
import TestTraits
import Testing
import Waymark

/// The calls of the library that the hub answers: subscriptions, the public database, and sharing.
@Suite(.waits, .timeLimit(.minutes(15))) struct HubLibraryTests {
    private func code(_ result: Result<Record, RecordError>?) -> RecordError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    @Test func `a subscription to a query is stored at the hub, and fires once`() async throws {
        let machines = try SyncMachines("laptop", "phone")
        let (here, there) = (machines.database(0), machines.database(1))
        _ = try await there.allRecordZones()
        try await here.save(RecordZone(zoneID: .notes))
        try await machines.container(0).synchronize()
        try await machines.container(1).synchronize()
        var once = QuerySubscription(
            recordType: "Note", filter: .beginsWith("text", "open"), subscriptionID: "open/1",
            options: [.firesOnRecordCreation, .firesOnRecordDeletion, .firesOnce])
        once.zoneID = RecordZone.ID.notes
        let any = QuerySubscription(recordType: "Note", subscriptionID: "any", options: .firesOnRecordUpdate)
        try await here.save(once)
        try await here.save(any)
        #expect(try await there.allSubscriptions() == [any, once])
        #expect(try await there.subscription(for: "open/1") == once)
        // Pushes of queries are received and acknowledged as others are.
        for (number, text) in ["closed", "open", "more"].enumerated() {
            let note = Record.note("n\(number)", text)
            try await there.save(note)
            #expect(try await eventually { (try? await here.record(for: note.recordID)) != nil })
        }
        #expect(try await here.allSubscriptions() == [any])
        try await there.deleteSubscription(withID: "any")
        #expect(try await here.allSubscriptions().isEmpty)
        func fails(_ subscription: QuerySubscription, _ code: RecordError.Code) async {
            await #expect { try await here.save(subscription) } throws: { ($0 as? RecordError)?.code == code }
        }
        await fails(QuerySubscription(recordType: "Note", subscriptionID: "none", options: []), .invalidArguments)
        await fails(
            QuerySubscription(recordType: "Note", subscriptionID: "waymark-sync", options: .firesOnRecordUpdate),
            .invalidArguments)
        await #expect { try await here.subscription(for: "any") } throws: {
            ($0 as? RecordError)?.code == .unknownItem
        }
    }

    @Test func `the public database is the same for all accounts, and needs the hub`() async throws {
        var machines = try SyncMachines("laptop")
        try machines.add("phone", of: "bob")
        let (alice, bob) = (machines.container(0).publicDatabase, machines.container(1).publicDatabase)
        #expect(alice.databaseScope == .public)
        #expect(try await alice.allRecordZones().map(\.zoneID) == [.default])
        #expect(try await alice.recordZone(for: .default).zoneID == .default)
        var report = Record(recordType: "Report", recordID: Record.ID(recordName: "r/1"))
        report["text"] = "calm"
        report["force"] = 2
        let saved = try await alice.save(report)
        #expect(saved.recordChangeTag != nil && !saved.isPending && saved.changedKeys().isEmpty)
        #expect(saved.creatorUserName == "alice")
        // Saved again, it is based on the version that the call has returned.
        var further = saved
        further["force"] = 3
        further = try await alice.save(further)
        var read = try await bob.record(for: report.recordID)
        #expect(read["text"] as? String == "calm" && read["force"] as? Int == 3 && read.creatorUserName == "alice")
        #expect(read == further)
        read["force"] = 9
        await #expect { try await bob.save(read) } throws: { ($0 as? RecordError)?.code == .permissionFailure }
        var stale = saved
        stale["text"] = "storm"
        await #expect { try await alice.save(stale) } throws: { error in
            guard let error = error as? RecordError, error.code == .serverRecordChanged else { return false }
            return error.serverRecord?["force"] as? Int == 3 && error.clientRecord == stale
        }
        // Each on its own, in as many requests as they need.
        var many = (0..<450).map { number in
            var record = Record(recordType: "Report", recordID: Record.ID(recordName: "m\(number)"))
            record["text"] = "storm"
            return record
        }
        many.append(Record(recordType: "no type"))
        let results = try await bob.modifyRecords(
            saving: many, deleting: [report.recordID, Record.ID(recordName: "none")])
        #expect(results.saveResults.values.count { code($0) == nil } == 450)
        #expect(code(results.saveResults[many[450].recordID]) == .invalidArguments)
        #expect(results.deleteResults.values.count { (try? $0.get()) != nil } == 1, "alice's record is hers")
        let found = try await alice.records(for: many.prefix(450).map(\.recordID) + [Record.ID(recordName: "none")])
        #expect(found.values.count { code($0) == nil } == 450)
        #expect(code(found[Record.ID(recordName: "none")]) == .unknownItem)
        let storms = RecordQuery(recordType: "Report", filter: .equal("text", "storm"))
        var (page, cursor) = try await alice.records(matching: storms, resultsLimit: 200)
        var names = page.map(\.recordID.recordName)
        while let next = cursor {
            (page, cursor) = try await alice.records(continuingMatchFrom: next, resultsLimit: 200)
            names += page.map(\.recordID.recordName)
        }
        #expect(Set(names) == Set((0..<450).map { "m\($0)" }) && names.count == 450)
        try await alice.deleteRecord(withID: report.recordID)
        await #expect { try await bob.record(for: report.recordID) } throws: {
            ($0 as? RecordError)?.code == .unknownItem
        }

        // A subscription is the account's own.
        let storm = QuerySubscription(
            recordType: "Report", filter: .equal("text", "storm"), subscriptionID: "storms",
            options: .firesOnRecordCreation)
        try await alice.save(storm)
        #expect(try await alice.allSubscriptions() == [storm])
        #expect(try await bob.allSubscriptions().isEmpty)
        #expect(try await machines.container(0).privateDatabase.allSubscriptions().isEmpty)

        func fails(_ code: RecordError.Code, _ body: () async throws -> Void) async {
            await #expect { try await body() } throws: { ($0 as? RecordError)?.code == code }
        }
        await fails(.invalidArguments) { _ = try await alice.databaseChanges(since: nil) }
        await fails(.invalidArguments) { _ = try await alice.recordZoneChanges(inZoneWith: .default, since: nil) }
        await fails(.invalidArguments) { _ = try await alice.records(matching: nil) }
        await fails(.invalidArguments) { _ = try await alice.save(Record.note("n1", "milk")) }
        await fails(.permissionFailure) { try await alice.save(RecordZone(zoneID: .notes)) }
        #expect(try await alice.refusedChanges().isEmpty)
        try await alice.discardChanges(of: [report.recordID])
        try machines.hub.stop()
        await fails(.networkUnavailable) { _ = try await alice.save(report) }
        await fails(.networkUnavailable) { _ = try await alice.record(for: report.recordID) }
    }

    @Test func `a record is shared with what is below it, in the shared database of another account`() async throws {
        var machines = try SyncMachines("laptop")
        try machines.add("phone", of: "bob")
        let (alice, bob) = (machines.container(0), machines.container(1))
        let (own, shared) = (alice.privateDatabase, bob.sharedDatabase)
        _ = try await shared.allRecordZones()
        try await own.save(RecordZone(zoneID: .notes))
        let trip = Record.note("trip", "a trip")
        var day = Record.note("day", "a day")
        day.setParent(trip)
        #expect(day.parent == Record.Reference(recordName: "trip"))
        _ = try await own.modifyRecords(saving: [trip, day, Record.note("diary", "secret")], deleting: [])
        let share = own.share(for: trip.recordID)
        await #expect {
            try await own.share(for: Record.ID(recordName: "none", zoneID: RecordZone.ID.notes)).invite("bob")
        } throws: { ($0 as? RecordError)?.code == .serverRejectedRequest }
        try await alice.synchronize()
        try await share.invite("bob", permission: .readWrite)
        #expect(try await share.participants().map(\.isAccepted) == [false])
        #expect(try await own.share(for: RecordZone.ID.notes).participants().isEmpty)
        let offer = try #require(try await bob.sharedZones().first)
        let his = RecordZone.ID(zoneName: "notes", ownerName: "alice")
        #expect(offer.rootRecordID == Record.ID(recordName: "trip", zoneID: his) && offer.zoneID == his)
        try await bob.accept(offer)
        func names() async throws -> [String] {
            try await bob.synchronize()
            return try await shared.records(matching: nil, inZoneWith: his).matchResults.map(\.recordID.recordName)
        }
        #expect(try await names() == ["day", "trip"])
        // Both write below the record, and bob nowhere else.
        var museum = Record(recordType: "Note", recordID: Record.ID(recordName: "museum", zoneID: his))
        museum["text"] = "his"
        museum.parent = Record.Reference(recordName: "day")
        try await shared.save(museum)
        try await shared.save(Record(recordType: "Note", recordID: Record.ID(recordName: "stray", zoneID: his)))
        try await bob.synchronize()
        #expect(try await shared.refusedChanges().map(\.key.recordName) == ["stray"])
        try await shared.discardChanges(of: [Record.ID(recordName: "stray", zoneID: his)])
        try await alice.synchronize()
        #expect(
            try await own.record(for: Record.ID(recordName: "museum", zoneID: RecordZone.ID.notes))["text"] as? String
                == "his")
        // What leaves the hierarchy leaves the copy, and what comes into it comes into the copy, with what is below.
        var moved = try await own.record(for: day.recordID)
        moved.setParent(nil)
        try await own.save(moved)
        try await alice.synchronize()
        #expect(try await names() == ["trip"])
        var diary = try await own.record(for: Record.ID(recordName: "diary", zoneID: RecordZone.ID.notes))
        diary.setParent(trip)
        moved = try await own.record(for: day.recordID)
        moved.setParent(diary)
        _ = try await own.modifyRecords(saving: [diary, moved], deleting: [])
        try await alice.synchronize()
        #expect(try await names() == ["day", "diary", "museum", "trip"])
        try await share.withdraw(from: "bob")
        try await bob.synchronize()
        #expect(try await shared.allRecordZones().isEmpty)
        #expect(try await bob.sharedZones().isEmpty)
    }
}
