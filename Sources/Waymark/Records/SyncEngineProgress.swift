import JSONText

/// The state of a `SyncEngine`, which the app stores.
struct SyncEngineProgress: Equatable, Sendable {
    /// A change that is in the copy, and that the hub has not acknowledged yet.
    struct Handed: Equatable, Sendable {
        var isDeletion: Bool
        /// The revision of the copy after it.
        var revision: Int64
    }

    /// Whose copy it is; nil without an account.
    struct Place: Equatable, Sendable {
        var account: String
        var copy: String
    }

    /// The copy that the revision belongs to.
    var place: Place?
    /// Up to where the engine has read.
    var revision: Int64 = 0
    /// The zones that the app knows, with the revision at which each was listed; -1 until one that the app has made is listed.
    var known: [RecordZone.ID: Int64] = [:]
    var records = PendingChanges<Record.ID, SyncEngine.State.PendingRecordZoneChange>()
    var zones = PendingChanges<RecordZone.ID, SyncEngine.State.PendingDatabaseChange>()
    var handed: [Record.ID: Handed] = [:]

    init() {}

    private static let version: Int64 = 1

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("version", Self.version)
            writer.member("account", place?.account)
            writer.member("copy", place?.copy)
            writer.member("revision", revision)
            writer.array("zones") { writer in
                for (zone, revision) in known {
                    writer.object { writer in
                        zone.write(to: &writer)
                        writer.member("revision", revision)
                    }
                }
            }
            writer.array("pending") { writer in
                for change in records.changes {
                    writer.object { writer in
                        change.recordID.write(to: &writer)
                        writer.member("isDeletion", change == .deleteRecord(change.recordID))
                    }
                }
            }
            writer.array("pendingZones") { writer in
                for change in zones.changes {
                    writer.object { writer in
                        change.zoneID.write(to: &writer)
                        writer.member("isDeletion", change == .deleteZone(change.zoneID))
                    }
                }
            }
            writer.array("handed") { writer in
                for (id, handed) in handed {
                    writer.object { writer in
                        id.write(to: &writer)
                        writer.member("isDeletion", handed.isDeletion)
                        writer.member("revision", handed.revision)
                    }
                }
            }
        }
        return writer.bytes
    }

    /// Nil if it is no state, or of a newer release.
    init?(_ json: JSON) {
        guard json["version"]?.integerValue == Self.version, let revision = json["revision"]?.integerValue else {
            return nil
        }
        self.revision = revision
        if let account = json["account"]?.stringValue, let copy = json["copy"]?.stringValue {
            place = Place(account: account, copy: copy)
        }
        for zone in json["zones"]?.arrayValue ?? [] {
            guard let id = RecordZone.ID(zone) else { return nil }
            known[id] = zone["revision"]?.integerValue ?? -1
        }
        for change in json["pending"]?.arrayValue ?? [] {
            guard let id = Record.ID(change) else { return nil }
            records.add(change.isDeletion ? .deleteRecord(id) : .saveRecord(id), for: id)
        }
        for change in json["pendingZones"]?.arrayValue ?? [] {
            guard let id = RecordZone.ID(change) else { return nil }
            zones.add(change.isDeletion ? .deleteZone(id) : .saveZone(RecordZone(zoneID: id)), for: id)
        }
        for change in json["handed"]?.arrayValue ?? [] {
            guard let id = Record.ID(change) else { return nil }
            handed[id] = Handed(isDeletion: change.isDeletion, revision: change["revision"]?.integerValue ?? 0)
        }
    }

    /// Begins anew in another copy, or without one.
    mutating func begin(in place: Place?) {
        self = SyncEngineProgress()
        self.place = place
    }
}

extension JSON {
    fileprivate var isDeletion: Bool { self["isDeletion"]?.boolValue ?? false }
}

extension RecordZone.ID {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("owner", owner)
        writer.member("zone", zoneName)
    }

    fileprivate init?(_ json: JSON) {
        guard let name = json["zone"]?.stringValue else { return nil }
        self.init(owner: json["owner"]?.stringValue, name: name)
    }
}

extension Record.ID {
    fileprivate func write(to writer: inout JSONWriter) {
        zoneID.write(to: &writer)
        writer.member("name", recordName)
    }

    fileprivate init?(_ json: JSON) {
        guard let zone = RecordZone.ID(json), let name = json["name"]?.stringValue else { return nil }
        self.init(recordName: name, zoneID: zone)
    }
}
