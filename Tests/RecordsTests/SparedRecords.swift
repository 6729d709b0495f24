import RecordScript
import Records

/// An engine that is not killed and performs the same requests.
struct SparedRecords {
    private let engine = MemoryEngine()
    private let store: RecordStore<MemoryEngine, TestSigner>
    private var performed = 0

    init() throws {
        store = RecordStore(engine, try TestSigner())
        try RecordScript.prepare(store)
    }

    /// What is wrong with the tables of an engine in which requests up to a number were acknowledged; nil if nothing is.
    /// - Parameter mostMore: How many more may have been performed.
    mutating func defect(
        of tables: MemoryEngine.Tables, after acknowledged: Int, mostMore: Int = 1
    ) throws -> String? {
        let found = Int(tables.zones[RecordScript.zone]?.counter ?? 0) / RecordScript.recordsOfRequest
        guard (acknowledged...(acknowledged + mostMore)).contains(found) else {
            return "\(found) requests are stored, \(acknowledged) were acknowledged"
        }
        // The preparation may be unfinished as well.
        if found == 0 { return nil }
        while performed < found {
            _ = try RecordScript.perform(performed, store)
            performed += 1
        }
        return tables == engine.tables ? nil : "the tables after \(found) requests differ"
    }
}
