/// What a caller may do in a zone.
enum ZoneAccess: Equatable {
    /// Everything.
    case owner
    /// Save and delete all records.
    case write
    /// Fetch all records.
    case read
    /// What the roles on the record's type permit.
    case roles
    /// What is permitted for these records, for them and all that are below them; nothing of others.
    case part([RecordName: Participant.Permission])

    /// Whether the caller may change records of the zone; the roles of the public database decide for each record, and so does
    /// its place below a shared one.
    var mayWrite: Bool {
        switch self {
        case .owner, .write, .roles: true
        case .read: false
        case .part(let roots): roots.values.contains(.write)
        }
    }

    /// What the access to a part of a zone depends on besides the zone: a change token of another part cannot be continued.
    func partDigestible(_ row: ZoneRow) -> [UInt8]? {
        guard case .part(let roots) = self else { return nil }
        return row.hierarchy.bigEndianBytes + roots.keys.sorted().flatMap { Array($0.text.utf8) + [0] }
    }
}
