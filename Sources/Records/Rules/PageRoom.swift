/// What still fits into a page. The first record always does.
struct PageRoom {
    private var records: Int
    private var bytes: Int
    private var isEmpty = true

    /// The room of a page of at most this many records.
    init(limit: Int, _ limits: Limits) {
        records = min(max(limit, 1), limits.records)
        bytes = limits.requestBytes
    }

    /// The room of a part of at most this many records, and as many bytes as a request.
    init(records: Int, _ limits: Limits) {
        self.records = max(records, 1)
        bytes = limits.requestBytes
    }

    /// Whether one more of this size fits; it is counted then.
    mutating func admit(_ size: Int) -> Bool {
        guard isEmpty || (records > 0 && size <= bytes) else { return false }
        isEmpty = false
        records -= 1
        bytes -= size
        return true
    }
}
