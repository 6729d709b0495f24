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

    /// Whether the caller may change records of the zone; the roles of the public database decide for each record.
    var mayWrite: Bool { self != .read }
}
