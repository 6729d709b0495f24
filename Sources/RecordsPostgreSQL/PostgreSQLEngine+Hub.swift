import RecordTables
import Records

extension PostgreSQLEngine {
    /// The key that signs change tokens, the same for all hubs of the database: the stored one, or this new one, which is
    /// stored at the first start of a hub.
    public func hubKey(orNew new: [UInt8]) throws(EngineFailure) -> [UInt8] {
        try write { (transaction) throws(EngineFailure) in
            try transaction.connection.acquire(.schema)
            if let stored = try transaction.hubKey() { return stored }
            try transaction.put(hubKey: new)
            return new
        }
    }

    /// Replaces the key after the database was restored from a backup, while no hub uses it.
    public func replaceHubKey(by key: [UInt8]) throws(EngineFailure) {
        try write { (transaction) throws(EngineFailure) in
            try transaction.connection.acquire(.schema)
            guard try transaction.otherHubs() == 0 else {
                throw EngineFailure(
                    "replace the hubs' key", reason: "a hub uses the database. Stop all hubs, then repeat this.")
            }
            try transaction.put(hubKey: key)
        }
    }
}

extension PostgreSQLTransaction {
    fileprivate func hubKey() throws(EngineFailure) -> [UInt8]? {
        let statement = RecordStatement.readHubKey
        return try connection.run(statement.rawValue, statement.sql, Parameters()) { (result) throws(PostgreSQLError) in
            guard result.rows > 0, case .blob(let key) = result.value(0, 0) else { return nil }
            return key
        }
    }

    fileprivate func put(hubKey: [UInt8]) throws(EngineFailure) {
        let statement = RecordStatement.storeHubKey
        try connection.run(statement.rawValue, statement.sql, Parameters(bytes: hubKey)) {
            (_) throws(PostgreSQLError) in
        }
    }

    fileprivate func otherHubs() throws(EngineFailure) -> Int64 {
        try connection.run("count hubs", RecordStatement.countHubs, Parameters()) { (result) throws(PostgreSQLError) in
            guard result.rows > 0, case .integer(let count) = result.value(0, 0) else { return 0 }
            return count
        }
    }
}
