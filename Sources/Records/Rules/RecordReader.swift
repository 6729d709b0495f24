/// Whoever reads records of a zone that is open to them.
struct RecordReader {
    let access: ZoneAccess
    let caller: Caller
    let schema: SchemaView
    /// The part of the zone that is open; nil for all of it.
    var part: SharedPart?

    /// Whether a record may be read: in the public database the roles of its type decide, and where a part of the zone is shared,
    /// its place.
    func mayRead(_ record: Record) -> Bool {
        if let part { return part.mayRead(record.name) }
        return access != .roles
            || schema.roles(of: record.type).rights(of: caller, creator: record.created.account).contains(.read)
    }
}
