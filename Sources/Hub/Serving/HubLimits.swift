import Records

/// Limits of the hub's HTTP.
enum HubLimits {
    /// The longest body: the JSON of the largest request, which has four times the bytes of its records.
    static let longestBody = 4 * records.requestBytes
    /// The size of the parts in which assets are stored: each waits for the disk.
    static let partSize = 1 << 20
    /// The size of the parts in which assets are read.
    static let readSize = 256 << 10
    /// The limits of records.
    static let records = SyncRules().limits
}
