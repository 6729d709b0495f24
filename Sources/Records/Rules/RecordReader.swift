/// Whoever reads records of a zone that is open to them.
struct RecordReader {
    let access: ZoneAccess
    let caller: Caller
    let schema: SchemaView

    /// Whether a record may be read: in the public database the roles of its type decide.
    func mayRead(_ record: Record) -> Bool {
        access != .roles
            || schema.roles(of: record.type).rights(of: caller, creator: record.created.account).contains(.read)
    }
}
