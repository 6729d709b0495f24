import JSONText
import SyncInterface
import TestHubs
import TestSupport
import TestTraits
import Testing
import Waymark

/// The calls of the library without an engine, with a real hub and real programs.
@Suite(.waits, .timeLimit(.minutes(15))) struct RecordLibraryTests {
    private func code(_ result: Result<Record, RecordError>?) -> RecordError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    @Test func `a record with a file whose bytes nobody has is refused, and saved with them`() async throws {
        let machines = try SyncMachines("laptop")
        let database = machines.database(0)
        try await database.save(RecordZone(zoneID: .notes))
        let photo = try Record.Asset(bytes: Array("a photo".utf8))
        var note = Record.note("n1", "milk")
        note["photo"] = Record.Asset(digest: photo.digest, size: photo.size)
        await #expect { try await database.save(note) } throws: { ($0 as? RecordError)?.code == .assetFileNotFound }
        note["photo"] = photo
        try await database.save(note)
        try await machines.container(0).synchronize()
        #expect(try await database.refusedChanges().isEmpty)
        #expect(try await database.record(for: note.recordID).recordChangeTag != nil)
    }

    @Test func `a record has values of all kinds, in the copy, at the hub and as bytes`() async throws {
        let machines = try SyncMachines("laptop", "phone")
        let (here, there) = (machines.database(0), machines.database(1))
        _ = try await there.allRecordZones()
        var record = Record(recordType: "Sample", recordID: Record.ID(recordName: "s1"))
        let place = try #require(Coordinate(latitude: 52.5, longitude: 13.25))
        record["text"] = "milk"
        record["bytes"] = [0, 255] as [UInt8]
        record["count"] = 3
        record["isDone"] = true
        record["weight"] = 0.5
        record["date"] = UTCTime(microseconds: 1_780_000_000_000_000)
        record["place"] = RecordLocation(coordinate: place, altitude: 30, horizontalAccuracy: 5)
        record["other"] = Record.Reference(recordName: "s2")
        record["file"] = try Record.Asset(bytes: Array("0123456789".utf8))
        record["tags"] = ["a", "b"]
        record["numbers"] = [1, 2]
        #expect(record.allKeys().count == 11 && record.changedKeys() == record.allKeys())
        let saved = try await here.save(record)
        #expect(saved.isPending && saved.changedKeys().isEmpty && saved.recordChangeTag == nil)
        try await machines.container(0).synchronize()
        try await machines.container(1).synchronize()
        let read = try await there.record(for: record.recordID)
        for key in record.allKeys() {
            let isSame = read[key]?.recordValue == record[key]?.recordValue
            #expect(isSame, "\(key)")
        }
        #expect(
            read["text"] as? String == "milk" && read["count"] as? Int == 3 && read["tags"] as? [String] == ["a", "b"])
        #expect(read["isDone", as: Bool.self] == true && read["numbers", as: [Int64].self] == [1, 2])
        #expect(read["place", as: Coordinate.self] == place && read["bytes"] as? [UInt8] == [0, 255])
        #expect(read.recordChangeTag != nil && read.creatorDevice == "laptop")
        // As bytes, also with changes that were not saved.
        var changed = read
        changed["text"] = nil
        changed["count"] = 4
        let stored = try #require(Record(encoded: try changed.encoded()))
        #expect(stored == changed && stored.changedKeys() == ["count", "text"])
        try await there.save(stored)
        let after = try await there.record(for: record.recordID)
        #expect(after["text"] == nil && after["count"] as? Int == 4 && after["weight"] as? Double == 0.5)
        // What an app does not change stays at the hub, too, and so do the bytes of the file.
        try await machines.container(1).synchronize()
        try await machines.container(0).synchronize()
        #expect(try await there.refusedChanges().isEmpty)
        let again = try await here.record(for: record.recordID)
        #expect(again["count"] as? Int == 4 && again["file"]?.recordValue == record["file"]?.recordValue)
        let digest = try #require(again["file", as: Record.Asset.self]).digest
        let path = "\(HubDevice.zone("alice", "_defaultZone"))/records/s1/assets/\(HexText.text(digest))"
        #expect(try machines.hub.join("reader", "alice").send("GET", path).body == "0123456789")
        // Values and names that no record can have.
        record["weight"] = Double.infinity
        await #expect { try await here.save(record) } throws: { ($0 as? RecordError)?.code == .invalidArguments }
        var misnamed = Record(recordType: "Sample")
        misnamed["no-name"] = 1
        await #expect { try await here.save(misnamed) } throws: { ($0 as? RecordError)?.code == .invalidArguments }
    }

    @Test func `a record that was changed since it was read is a conflict, and can be saved with another policy`()
        async throws
    {
        let machines = try SyncMachines("laptop", "phone")
        let (here, there) = (machines.database(0), machines.database(1))
        try await here.save(RecordZone(zoneID: .notes))
        let first = try await here.save(Record.note("n1", "milk"))
        try await machines.container(0).synchronize()
        _ = try await there.allRecordZones()
        try await machines.container(1).synchronize()
        var mine = try await there.record(for: first.recordID)
        // The machine's own change is acknowledged with another tag, which is no conflict for the app that has made it.
        var again = first
        again["text"] = "milk and bread"
        try await here.save(again)
        try await machines.container(0).synchronize()
        try await machines.container(1).synchronize()
        mine["text"] = "milk and butter"
        await #expect { try await there.save(mine) } throws: { error in
            guard let error = error as? RecordError, error.code == .serverRecordChanged else { return false }
            return error.serverRecord?["text"] as? String == "milk and bread"
                && error.clientRecord?["text"] as? String == "milk and butter"
                && error.ancestorRecord?["text"] as? String == "milk"
        }
        // A record of the same name that the app makes.
        await #expect { try await there.save(Record.note("n1", "another")) } throws: { error in
            (error as? RecordError)?.code == .serverRecordChanged
        }
        let results = try await there.modifyRecords(saving: [mine], deleting: [], savePolicy: .changedKeys)
        #expect(code(results.saveResults[mine.recordID]) == nil)
        #expect(try await there.record(for: mine.recordID)["text"] as? String == "milk and butter")
        // A record that was deleted is not made again by somebody who has read it.
        try await there.deleteRecord(withID: mine.recordID)
        await #expect { try await there.save(mine) } throws: { ($0 as? RecordError)?.code == .unknownItem }
        await #expect { try await there.record(for: mine.recordID) } throws: {
            ($0 as? RecordError)?.code == .unknownItem
        }
    }

    @Test func `a change is not made if a record was changed since the revision at which it was compared`() async throws
    {
        let machines = try SyncMachines("laptop")
        let database = machines.database(0)
        try await database.save(RecordZone(zoneID: .notes))
        try await database.save(Record.note("counter", "first"))
        let read = try machines.machines[0].call(
            SyncInterface.GetRecords(container: SyncProcess.container, zone: "notes", names: ["counter"]))
        try machines.machines[0].save("counter", "later")
        func save(since revision: Int64?) throws {
            let fields: JSON = ["text": ["string": "mine"]]
            let record: JSON = ["name": "counter", "type": "Note", "fields": fields]
            _ = try machines.machines[0].call(
                SyncInterface.ModifyRecords(
                    container: SyncProcess.container, zone: "notes", request: ["save": [["record": record]]],
                    unchangedSince: revision))
        }
        #expect { try save(since: read.revision ?? 0) } throws: { "\($0)".contains("has been changed") }
        #expect(try machines.machines[0].notes()["counter"] == "later")
        try save(since: read.revision.map { $0 + 1_000 })
        #expect(try machines.machines[0].notes()["counter"] == "mine")
    }

    @Test func `two programs do not replace each other's changes that are not sent yet`() async throws {
        let machines = try SyncMachines("laptop")
        // Two connections, as two programs of one app have.
        let (first, second) = (machines.database(0), machines.database(0))
        try await first.save(RecordZone(zoneID: .notes))
        try await first.save(Record.note("n1", "milk"))
        try await machines.container(0).synchronize()
        try machines.hub.stop()
        var mine = try await first.record(for: Record.note("n1", "").recordID)
        var theirs = try await second.record(for: mine.recordID)
        mine["text"] = "milk and bread"
        theirs["text"] = "milk and butter"
        mine = try await first.save(mine)
        await #expect { try await second.save(theirs) } throws: { error in
            guard let error = error as? RecordError, error.code == .serverRecordChanged else { return false }
            return error.serverRecord?["text"] as? String == "milk and bread"
                && error.ancestorRecord?["text"] as? String == "milk"
        }
        // Another field is merged, and so is a change of what was read since.
        var other = try await second.record(for: mine.recordID)
        mine["text"] = "bread"
        mine = try await first.save(mine)
        other["priority"] = 3
        try await second.save(other)
        #expect(try await first.record(for: mine.recordID)["text"] as? String == "bread")
        other = try await second.record(for: mine.recordID)
        other["text"] = "butter"
        try await second.save(other)
        // The same value twice is no conflict.
        mine["text"] = "butter"
        try await first.save(mine)
        // A record of the same name that both make.
        try await first.save(Record.note("n2", "one"))
        await #expect { try await second.save(Record.note("n2", "two")) } throws: { error in
            (error as? RecordError)?.code == .serverRecordChanged
        }
        let forced = Record.note("n2", "three")
        _ = try await second.modifyRecords(saving: [forced], deleting: [], savePolicy: .changedKeys)
        #expect(try await first.record(for: forced.recordID)["text"] as? String == "three")
        try machines.hub.start()
        try await machines.container(0).synchronize()
        #expect(try machines.machines[0].notes() == ["n1": "butter", "n2": "three"])
        #expect(try machines.machines[0].refused().isEmpty)
    }

    @Test func `changes of a zone are made together or, if the app wants that, one by one`() async throws {
        let machines = try SyncMachines("laptop")
        let database = machines.database(0)
        await #expect { try await database.save(Record.note("n1", "milk")) } throws: { error in
            (error as? RecordError)?.code == .zoneNotFound
        }
        try await database.save(RecordZone(zoneID: .notes))
        try await database.save(Record.note("n1", "milk"))
        var wrong = Record(recordType: "Other", recordID: Record.ID(recordName: "n1", zoneID: RecordZone.ID.notes))
        wrong["text"] = "of another type"
        let good = Record.note("n2", "bread")
        let together = try await database.modifyRecords(saving: [good, wrong], deleting: [])
        #expect(code(together.saveResults[good.recordID]) == .batchRequestFailed)
        #expect(code(together.saveResults[wrong.recordID]) == .invalidArguments)
        await #expect { try await database.record(for: good.recordID) } throws: {
            ($0 as? RecordError)?.code == .unknownItem
        }
        let separately = try await database.modifyRecords(saving: [good, wrong], deleting: [], atomically: false)
        #expect(code(separately.saveResults[good.recordID]) == nil)
        #expect(code(separately.saveResults[wrong.recordID]) == .invalidArguments)
        let records = try await database.records(for: [good.recordID, wrong.recordID, Record.ID(recordName: "none")])
        #expect(code(records[good.recordID]) == nil && code(records[Record.ID(recordName: "none")]) == .unknownItem)
        // More than one request can have.
        let many = (0..<450).map { Record.note("m\($0)", "text") }
        let results = try await database.modifyRecords(saving: many, deleting: [good.recordID], atomically: false)
        #expect(results.saveResults.values.allSatisfy { code($0) == nil } && results.saveResults.count == 450)
        let atOnce = try await database.modifyRecords(saving: (0..<401).map { Record.note("x\($0)", "") }, deleting: [])
        #expect(atOnce.saveResults.values.allSatisfy { code($0) == .limitExceeded || code($0) == .invalidArguments })
        await #expect {
            try await database.deleteRecord(
                withID: Record.ID(recordName: "n1", zoneID: RecordZone.ID(zoneName: "notes", ownerName: "bob")))
        } throws: { ($0 as? RecordError)?.code == .invalidArguments }
    }

    @Test func `a query finds records by typed conditions, page by page`() async throws {
        let machines = try SyncMachines("laptop")
        let database = machines.database(0)
        let place = try #require(Coordinate(latitude: 52.5, longitude: 13.25))
        var notes: [Record] = []
        for number in 0..<25 {
            var note = Record(recordType: "Note", recordID: Record.ID(recordName: "n\(number)"))
            note["text"] = number % 2 == 0 ? "milk \(number)" : "bread \(number)"
            note["count"] = number
            note["tags"] = number < 5 ? ["first"] : ["later", "other"]
            if number == 7 { note["place"] = place }
            notes.append(note)
        }
        notes.append(Record(recordType: "Other"))
        _ = try await database.modifyRecords(saving: notes, deleting: [])
        func found(_ filter: RecordFilter?) async throws -> Set<String> {
            let query = RecordQuery(recordType: "Note", filter: filter)
            var (page, cursor) = try await database.records(matching: query, resultsLimit: 10)
            var names = page.map(\.recordID.recordName)
            while let next = cursor {
                #expect(page.count <= 10)
                (page, cursor) = try await database.records(continuingMatchFrom: next, resultsLimit: 10)
                names += page.map(\.recordID.recordName)
            }
            #expect(Set(names).count == names.count)
            return Set(names)
        }
        func names(_ numbers: Range<Int>) -> Set<String> { Set(numbers.map { "n\($0)" }) }
        #expect(try await found(nil) == names(0..<25))
        #expect(try await found(.less("count", than: 3)) == names(0..<3))
        #expect(try await found(.all([.greaterOrEqual("count", to: 3), .lessOrEqual("count", to: 4)])) == names(3..<5))
        #expect(try await found(.any([.equal("count", 1), .greater("count", than: 23)])) == ["n1", "n24"])
        #expect(try await found(.isIn("text", ["milk 0", "bread 1", "butter"])) == names(0..<2))
        #expect(try await found(.contains("tags", "first")) == names(0..<5))
        #expect(try await found(.not(.beginsWith("text", "milk"))).count == 12)
        #expect(try await found(.within(100, of: place, "place")) == ["n7"])
        #expect(try await found(.containsWords("MILK 2")) == ["n2"])
        #expect(try await found(.containsWords("text", "bread")).count == 12)
        func sorted(_ descriptors: [RecordSortDescriptor], _ filter: RecordFilter? = nil) async throws -> [String] {
            let query = RecordQuery(recordType: "Note", filter: filter, sortDescriptors: descriptors)
            var (page, cursor) = try await database.records(matching: query, resultsLimit: 4)
            var names = page.map(\.recordID.recordName)
            while let next = cursor {
                (page, cursor) = try await database.records(continuingMatchFrom: next, resultsLimit: 4)
                names += page.map(\.recordID.recordName)
            }
            return names
        }
        #expect(
            try await sorted([RecordSortDescriptor(key: "count", ascending: false)])
                == (0..<25).reversed().map { "n\($0)" })
        let two = [RecordSortDescriptor(key: "place", ascending: false), RecordSortDescriptor(key: "count")]
        #expect(
            try await sorted(two, .less("count", than: 9)) == ["n7", "n0", "n1", "n2", "n3", "n4", "n5", "n6", "n8"])
        let names24 = (0..<25).map { "n\($0)" }
        #expect(try await sorted([RecordSortDescriptor(.recordName, ascending: false)]) == names24.sorted().reversed())
        #expect(try await sorted([RecordSortDescriptor(key: "place", distanceFrom: place)]) == ["n7"])
        // None of them is at the hub, so that none has a date there.
        let dates = [RecordSortDescriptor(.modificationDate), RecordSortDescriptor(.creationDate)]
        #expect(try await sorted(dates, .less("count", than: 3)) == ["n0", "n1", "n2"])
        await #expect { try await sorted([RecordSortDescriptor(key: "_created")]) } throws: {
            ($0 as? RecordError)?.code == .invalidArguments
        }
        await #expect { try await sorted([RecordSortDescriptor(key: "no name")]) } throws: {
            ($0 as? RecordError)?.code == .invalidArguments
        }
        let some = try await database.records(
            matching: RecordQuery(recordType: "Note", filter: .equal("count", 7)), desiredKeys: ["count"])
        #expect(some.matchResults.first?.allKeys() == ["count"])
        await #expect { try await found(.equal("no-name", 1)) } throws: {
            ($0 as? RecordError)?.code == .invalidArguments
        }
    }

    @Test func `an app can follow changes with tokens of its own`() async throws {
        let machines = try SyncMachines("laptop")
        let database = machines.database(0)
        try await database.save(RecordZone(zoneID: .notes))
        try await database.save(Record.note("n1", "milk"))
        let zones = try await database.databaseChanges(since: nil)
        #expect(zones.modifications == [RecordZone.ID.notes] && zones.deletions.isEmpty)
        let first = try await database.recordZoneChanges(inZoneWith: RecordZone.ID.notes, since: nil, resultsLimit: 1)
        #expect(first.modifications.isEmpty && first.moreComing)
        let second = try await database.recordZoneChanges(inZoneWith: RecordZone.ID.notes, since: first.changeToken)
        #expect(second.modifications.map(\.recordID.recordName) == ["n1"] && !second.moreComing)
        let token = try #require(ChangeToken(encoded: second.changeToken.encoded()))
        try await database.deleteRecord(withID: Record.note("n1", "").recordID)
        let third = try await database.recordZoneChanges(inZoneWith: RecordZone.ID.notes, since: token)
        #expect(third.deletions.map(\.recordName) == ["n1"])
        try await database.deleteRecordZone(withID: RecordZone.ID.notes)
        let last = try await database.databaseChanges(since: third.changeToken)
        #expect(last.deletions.map(\.reason) == [.deleted])
        await #expect {
            _ = try await database.recordZoneChanges(inZoneWith: RecordZone.ID.notes, since: third.changeToken)
        } throws: { ($0 as? RecordError)?.code == .zoneNotFound }
    }

    @Test func `the account is reported, and each change of it`() async throws {
        let machines = try SyncMachines()
        let machine = try SyncProcess()
        let container = machine.notesContainer
        #expect(try await container.accountStatus() == .noAccount)
        await #expect { try await container.privateDatabase.allRecordZones() } throws: { error in
            (error as? RecordError)?.code == .notAuthenticated
        }
        var changes = container.accountChanges.makeAsyncIterator()
        #expect(try await changes.next()?.status == .noAccount)
        try machine.join(machines.hub, as: "laptop")
        let joined = try #require(try await changes.next())
        #expect(joined.status == .available && joined.userName == "alice" && joined.deviceName == "laptop")
        #expect(joined.copyIdentifier?.utf8.count == 32)
        try machine.crash()
        #expect(try await container.account() == joined)
        _ = try machine.call(SyncInterface.Leave(unsent: 0))
        #expect(try await changes.next()?.status == .noAccount)
        try machine.join(machines.hub, as: "laptop2")
        let again = try #require(try await changes.next())
        #expect(again.userName == "alice" && again.copyIdentifier != joined.copyIdentifier)
        try machine.stop()
        #expect(try await container.accountStatus() == .couldNotDetermine)
    }
}
