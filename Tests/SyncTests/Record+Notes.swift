import Waymark

extension RecordZone.ID {
    /// The zone of the notes that tests save.
    static let notes = RecordZone.ID(zoneName: "notes")
}

extension Record {
    /// A note in the zone of notes.
    static func note(_ name: String, _ text: String) -> Record {
        var record = Record(recordType: "Note", recordID: Record.ID(recordName: name, zoneID: .notes))
        record["text"] = text
        return record
    }
}
