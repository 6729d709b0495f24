// The examples of Records.md in the catalogue, as they are shown: `DocumentationTests` compares the lines.

import Waymark

/// Saves a note, changes it, and deletes it: all of it also without a network.
func writeNotes(_ container: Container, show: (String) -> Void) async throws {
    let database = container.privateDatabase
    let zone = try await database.save(RecordZone(zoneName: "notes"))
    var note = Record(recordType: "Note", recordID: Record.ID(recordName: "n1", zoneID: zone.zoneID))
    note["text"] = "milk"
    note["count"] = 2
    note = try await database.save(note)
    note["text"] = (note["text"] as? String ?? "") + " and bread"
    show("\(note.changedKeys()) of \(note.allKeys()) changed; sent: \(!note.isPending)")
    try await database.save(note)
    try await database.deleteRecord(withID: note.recordID)
}

/// Saves a note that another machine may have changed meanwhile.
func saveMerged(_ note: Record, in database: Database) async throws {
    do {
        try await database.save(note)
    } catch let error as RecordError where error.code == .serverRecordChanged {
        guard var merged = error.serverRecord else { throw error }
        let before = error.ancestorRecord?["text"] as? String ?? "nothing"
        let mine = error.clientRecord?["text"] as? String ?? ""
        merged["text"] = "\(merged["text"] as? String ?? "") and \(mine), instead of \(before)"
        try await database.save(merged)
    }
}

/// Saves and deletes several records, all of them or none.
func replace(_ old: Record.ID, by new: [Record], in database: Database, show: (String) -> Void) async throws {
    let results = try await database.modifyRecords(saving: new, deleting: [old], savePolicy: .ifServerRecordUnchanged)
    for (id, result) in results.saveResults {
        if case .failure(let error) = result { show("\(id): \(error.message)") }
    }
    for (id, found) in try await database.records(for: new.map(\.recordID), desiredKeys: ["text"]) {
        show("\(id.recordName): \(try found.get()["text"] as? String ?? "?")")
    }
}

/// Values of all kinds.
func describe(_ position: Position, in record: inout Record, show: (String) -> Void) {
    record["place"] = RecordLocation(position)
    record["author"] = Record.Reference(recordName: "alice")
    let tags: any RecordValueConvertible = ["shopping", "today"]
    record["tags"] = tags
    if let place = record["place", as: RecordLocation.self] {
        show(
            "\(place.coordinate), \(place.altitude ?? 0) m, \(place.horizontalAccuracy ?? 0) m, \(place.timestamp?.iso8601() ?? "?")"
        )
    }
    show("\(record.recordType) of \(record.creatorUserName ?? "?"), made on \(record.creatorDevice ?? "?")")
    show("at \(record.creationDate?.iso8601() ?? "?"), version \(record.recordChangeTag ?? "none")")
    show("of \(record.lastModifiedUserName ?? "?") on \(record.modifiedByDevice ?? "?")")
    show("at \(record.modificationDate?.iso8601() ?? "?")")
}

/// Attaches a photo to a note, also without a network. The file of the app is not needed any more afterwards.
func attach(_ path: String, to id: Record.ID, in database: Database, show: (String) -> Void) async throws {
    do {
        var note = try await database.record(for: id)
        note["photo"] = try Record.Asset(filePath: path)
        note["thumbnail"] = try Record.Asset(bytes: [0xFF, 0xD8])
        try await database.save(note)
    } catch let error as RecordError where error.code == .assetFileNotFound || error.code == .limitExceeded {
        show(error.message)
    }
}

/// Writes the photo of a note to a file, on whichever machine of the account.
func exportPhoto(of id: Record.ID, in database: Database, to path: String, show: (String) -> Void) async throws {
    let note = try await database.record(for: id)
    guard let photo = note["photo", as: Record.Asset.self] else { return }
    show("\(photo.size) bytes, digest of \(photo.digest.count)")
    do {
        try await database.write(photo, in: id, to: path)
        if let thumbnail = note["thumbnail", as: Record.Asset.self] {
            show("\(try await database.bytes(of: thumbnail, in: id).count) bytes")
        }
    } catch let error as RecordError where error.code == .networkUnavailable {
        // It was not read on this machine before, and the hub cannot be reached.
        show(error.message)
    }
}

/// A copy of a note has its photo without another upload.
func copyPhoto(of note: Record, to other: Record, in database: Database) async throws {
    guard let photo = note["photo", as: Record.Asset.self] else { return }
    var other = other
    other["photo"] = Record.Asset(digest: photo.digest, size: photo.size)
    try await database.save(other)
}

/// A day with a diary that the hub stores and cannot read.
func writeDiary(_ text: String, in database: Database, show: (String) -> Void) async throws {
    var day = Record(recordType: "Day")
    day["weather"] = "sunny"
    day.encryptedValues["diary"] = text
    day.encryptedValues["mood", as: Int.self] = 3
    do {
        day = try await database.save(day)
    } catch let error as RecordError where error.code == .encryptedDataUnavailable {
        return show(error.message)
    }
    let stored = try await database.record(for: day.recordID)
    let values: Record.EncryptedValues = stored.encryptedValues
    if let error = values.unavailable { show(error.message) }
    show("\(values.allKeys()): \(values["diary"] as? String ?? "?"), \(values["mood", as: Int.self] ?? 0)")
}

/// A color of the app, stored as a text, alone and in lists.
enum Color: String, RecordListElement {
    case red, green

    var recordValue: RecordValue { rawValue.recordValue }

    init?(_ value: RecordValue) {
        guard let word = String(value) else { return nil }
        self.init(rawValue: word)
    }

    static func recordValue(of list: [Color]) -> RecordValue { list.map(\.rawValue).recordValue }

    static func list(_ value: RecordValue) -> [Color]? { [String](value)?.compactMap(Color.init(rawValue:)) }
}

extension Record {
    /// The colors of a note.
    subscript(colors key: String) -> [Color] {
        get { self[key, as: [Color].self] ?? [] }
        set { self[key] = newValue }
    }
}

/// Finds the notes that are near a place, or that are important, page by page.
func findNotes(near place: Coordinate, in database: Database) async throws -> [Record] {
    let important: RecordFilter = .all([
        .greater("priority", than: 3), .less("priority", than: 9), .not(.equal("isDone", true)),
    ])
    let text: RecordFilter = .any([.beginsWith("text", "Call"), .contains("tags", "today")])
    let recent: RecordFilter = .all([.greaterOrEqual("year", to: 2_026), .lessOrEqual("year", to: 2_027)])
    let filter: RecordFilter = .any([
        .within(500, of: place, "place"), .all([important, text, recent]), .isIn("color", ["red"]),
        .containsWords("shopping list"), .all([.containsWords("text", "milk"), .equal("isDone", false)]),
    ])
    let newest = RecordSortDescriptor(key: "year", ascending: false)
    let query = RecordQuery(recordType: "Note", filter: filter, sortDescriptors: [newest])
    var (found, cursor): ([Record], Database.QueryCursor?) = try await database.records(matching: query)
    while let next = cursor {
        let page = try await database.records(continuingMatchFrom: next)
        found += page.matchResults
        cursor = page.queryCursor
    }
    let isPlain = query.filter == nil || query.recordType.isEmpty
    return isPlain && query.sortDescriptors.allSatisfy({ $0.ascending && $0.key.isEmpty }) ? [] : found
}

/// The note nearest to a place, and the one that was changed last; of several with the same time that of the first name.
func firstNotes(near place: Coordinate, in database: Database) async throws -> [Record] {
    let nearest = RecordSortDescriptor(key: "place", distanceFrom: place)
    let latest = RecordSortDescriptor(.modificationDate, ascending: false)
    let keys: [RecordSortDescriptor.SystemKey] = [.creationDate, .recordName]
    var found: [Record] = []
    for order in [[nearest], [latest] + keys.map { RecordSortDescriptor($0) }] {
        let query = RecordQuery(recordType: "Note", sortDescriptors: order)
        found += try await database.records(matching: query, resultsLimit: 1).matchResults
    }
    return nearest.place == place ? found : []
}

/// Lets the app be started when another device makes, changes or deletes an important note.
func watchImportantNotes(in database: Database) async throws -> Bool {
    var options: QuerySubscription.Options = [.firesOnRecordCreation, .firesOnRecordUpdate]
    options.insert(.firesOnRecordDeletion)
    var subscription = QuerySubscription(
        recordType: "Note", filter: .greater("priority", than: 3), subscriptionID: "important", options: options)
    subscription.zoneID = .default
    var alert = QuerySubscription.NotificationInfo(
        alertBody: "There is an important note.", alertLocalizationKey: "ImportantNote",
        alertLocalizationArgs: ["title"])
    (alert.title, alert.titleLocalizationKey, alert.titleLocalizationArgs) = ("Note", "NoteFrom", ["author"])
    subscription.notificationInfo = alert
    try await database.save(subscription)
    for other in try await database.allSubscriptions() where other.querySubscriptionOptions.contains(.firesOnce) {
        try await database.deleteSubscription(withID: other.subscriptionID)
    }
    let stored = try await database.subscription(for: "important")
    let isSame = stored.querySubscriptionOptions == QuerySubscription.Options(rawValue: options.rawValue)
    return isSame && stored.recordType == "Note" && stored.filter == subscription.filter && stored.zoneID == .default
        && stored.notificationInfo == alert
}

/// What to do when a zone was deleted.
func advice(_ reason: RecordZone.DeletionReason) -> String {
    switch reason {
    case .deleted, .withdrawn: "remove its records"
    case .purged: "remove its records, and do not make the zone again"
    case .encryptedDataReset: "save again what only the app has; the rest is sent again"
    }
}

/// The app's own list of changes, without an engine.
func follow(_ database: Database, from stored: [UInt8]?, show: (String) -> Void) async throws -> [UInt8] {
    var token = stored.flatMap { ChangeToken(encoded: $0) }
    while true {
        let page: Database.DatabaseChanges = try await database.databaseChanges(since: token)
        for zone in page.modifications { show("\(zone.zoneName) has changed, at \(zone.ownerName)") }
        for (zone, reason) in page.deletions { show("\(zone): \(advice(reason))") }
        for zone in page.modifications {
            let records: Database.RecordZoneChanges = try await database.recordZoneChanges(
                inZoneWith: zone, since: token)
            for record in records.modifications { show("\(record.recordID) has changed") }
            for id in records.deletions { show("\(id) was deleted") }
        }
        token = page.changeToken
        if !page.moreComing { return page.changeToken.encoded() }
    }
}

/// Shows the account of the machine, and each change of it.
func showAccount(_ container: Container, show: (String) -> Void) async throws {
    let changes: AccountChanges = container.accountChanges
    for try await account: Account in changes {
        switch account.status {
        case .available:
            show("\(account.userName ?? "?") on \(account.deviceName ?? "?"), \(account.copyIdentifier ?? "")")
        case .noAccount: show("Join an account with `waymark join`.")
        case .restricted: show("The hub does not accept this machine any more.")
        case .couldNotDetermine: show("waymark-sync does not run.")
        }
    }
}

/// The container of a program that is no app, such as a test.
func development(show: (String) -> Void) async throws {
    let container = Container(identifier: "org.example.notes", environment: Container.Environment.development)
    show("\(container.containerIdentifier ?? "the first"), not \(Container.Environment.production)")
    let status: Account.Status = try await container.accountStatus()
    show("\(status) \(try await container.account().userName ?? "")")
    try await container.synchronize()
}

/// Publishes a report for everybody who uses the app, and has the app started when somebody else publishes a severe one.
func publish(_ text: String, in container: Container) async throws {
    let everybody = container.publicDatabase
    guard everybody.databaseScope == Database.Scope.public else { return }
    var report = Record(recordType: "Report")
    report["text"] = text
    try await everybody.save(report)
    let severe = QuerySubscription(
        recordType: "Report", filter: .greater("severity", than: 3), subscriptionID: "severe",
        options: .firesOnRecordCreation)
    try await everybody.save(severe)
}

/// Reads what a subscription has found, in an app that was started for it.
func readSevereReports(_ reason: Wakes.LaunchReason, in container: Container) async throws -> [Record] {
    let isFired = reason.firedSubscriptions.contains { (fired: Wakes.FiredSubscription) in
        fired.databaseScope == .public && fired.subscriptionID == "severe"
    }
    guard isFired else { return [] }
    let query = RecordQuery(recordType: "Report", filter: .greater("severity", than: 3))
    return try await container.publicDatabase.records(matching: query).matchResults
}

/// Shares a zone with two accounts, one of which only reads it, and withdraws it from whoever has not accepted.
func share(_ zone: RecordZone.ID, in database: Database, show: (String) -> Void) async throws {
    let share: Share = database.share(for: zone)
    try await share.invite("bob", permission: Share.Permission.readWrite)
    try await share.invite("carol", permission: .readOnly)
    let participants: [Share.Participant] = try await share.participants()
    for participant in participants {
        show("\(participant.userName) writes: \(participant.permission == .readWrite)")
        if !participant.isAccepted { try await share.withdraw(from: participant.userName) }
    }
}

/// Shares a list with all its entries, also later ones, and not the rest of its zone.
func shareList(_ list: Record, with userName: String, in container: Container) async throws -> Bool {
    let database = container.privateDatabase
    var entry = Record(recordType: "Entry", recordID: Record.ID(zoneID: list.recordID.zoneID))
    entry.setParent(list)
    try await database.save(entry)
    try await container.synchronize()
    let share = database.share(for: list.recordID)
    try await share.invite(userName, permission: .readWrite)
    return share.rootRecordID == list.recordID && entry.parent?.recordName == list.recordID.recordName
}

/// What others share with this account: zones, and records with all that are below them.
func offers(_ container: Container) async throws -> [String] {
    try await container.sharedZones().map { $0.rootRecordID.map(\.description) ?? $0.zoneID.description }
}

/// Accepts every zone that somebody shares for writing, and leaves the others.
func acceptZones(_ container: Container, show: (String) -> Void) async throws {
    for zone: SharedZone in try await container.sharedZones() where !zone.isAccepted {
        if zone.permission == .readWrite { try await container.accept(zone) } else { try await container.leave(zone) }
    }
    let shared = container.sharedDatabase
    guard shared.databaseScope == Database.Scope.shared, container.privateDatabase.databaseScope == .private else {
        return
    }
    for zone in try await shared.allRecordZones() where zone.zoneID.ownerName != RecordZone.ID.ownAccount {
        show("\(zone.zoneID), known to the hub: \(!zone.isPending)")
    }
}

/// Removes a zone, and makes another one.
func replaceZone(_ old: RecordZone.ID, in database: Database) async throws {
    try await database.modifyRecordZones(saving: [RecordZone(zoneID: .default)], deleting: [])
    _ = try await database.recordZone(for: old)
    try await database.deleteRecordZone(withID: old)
}

/// Handles the changes of an app without an engine that the hub has refused.
func handleRefusals(_ database: Database, show: (String) -> Void) async throws {
    let refused = try await database.refusedChanges()
    for (id, error) in refused { show("\(id): \(error)") }
    try await database.discardChanges(of: Array(refused.keys))
    _ = try await database.modifyRecords(
        saving: [], deleting: [], savePolicy: Database.SavePolicy.changedKeys, atomically: false)
}

/// What to do after an error of a call about records.
func advice(_ error: RecordError) -> String {
    switch error.code {
    case .serverRecordChanged: "merge the records, and save the merged one"
    case .unknownItem, .zoneNotFound: "make it, if it is wanted again"
    case .userDeletedZone: "the person does not want the data any more"
    case .notAuthenticated: "ask the person to join an account"
    case .permissionFailure: "ask the owner of the zone, or add the container to the manifest"
    case .networkUnavailable, .serviceUnavailable: "try again later"
    case .limitExceeded: "send half of it"
    case .changeTokenExpired: "fetch everything"
    case .batchRequestFailed: "correct the record that was refused"
    case .assetFileNotFound: "set the asset again from its file"
    case .invalidArguments, .serverRejectedRequest: "correct the program"
    case .protectedDataUnavailable: "ask the person to unlock the machine's data"
    case .encryptedDataUnavailable: "ask the person to trust this machine: `waymark sync devices`"
    case .notStored: "free some space on the disk"
    case .incompatibleVersion: "update the older one"
    }
}
