import Records

/// Where a value of an encrypted field is. The value is sealed together with its place, so that nobody can put it into another
/// field, record, zone, container or account.
struct FieldPlace: Equatable, Sendable {
    let zone: ZoneID
    let record: RecordName
    let field: FieldName

    init(_ zone: ZoneID, _ record: RecordName, _ field: FieldName) {
        self.zone = zone
        self.record = record
        self.field = field
    }

    /// What is authenticated with a value: each name after its length in a byte, because no name is longer than 255 bytes.
    func context(_ header: [UInt8]) -> [UInt8] {
        let names = [
            zone.container.environment.rawValue, zone.container.name.text, zone.owner?.text ?? "", zone.name.text,
            record.text, field.text,
        ]
        return names.reduce(Array("waymark field 1 ".utf8) + header) { context, name in
            context + [UInt8(name.utf8.count)] + Array(name.utf8)
        }
    }
}
