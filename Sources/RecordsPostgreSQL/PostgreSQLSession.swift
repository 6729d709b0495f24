import CPostgreSQL
import RecordTables

/// A connection to PostgreSQL, closed once by its last owner. For one thread, which it blocks.
struct PostgreSQLSession: ~Copyable {
    private let handle: OpaquePointer

    /// Connects. PQconnectdbParams.
    /// - Parameter address: A connection string or a `postgres://` address, postgresql.org/docs/15/libpq-connect.html.
    init(_ address: String) throws(PostgreSQLError) {
        guard let handle = Self.withSettings(address, { PQconnectdbParams($0, $1, 1) }) else {
            throw PostgreSQLError("connect to PostgreSQL", "there is not enough memory")
        }
        guard PQstatus(handle) == CONNECTION_OK else {
            let message = String(cString: PQerrorMessage(handle))
            PQfinish(handle)
            throw PostgreSQLError("connect to PostgreSQL", message)
        }
        // Notices, for example that a schema exists, are of no interest; libpq would write them to standard error.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        self.handle = handle
    }

    /// Passes the names and the values of the settings of a connection to the body.
    static func withSettings<Result>(
        _ address: String,
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        // Parameters before dbname are defaults, which the address can replace; those after it are not replaced. A server
        // that does not answer any more is noticed within a minute, and a standby server is not used.
        let settings = [
            ("connect_timeout", "10"), ("tcp_user_timeout", "30000"), ("keepalives_idle", "30"),
            ("keepalives_interval", "10"), ("keepalives_count", "3"), ("target_session_attrs", "read-write"),
            ("application_name", "waymark-hub"), ("dbname", address), ("client_encoding", "UTF8"),
        ]
        let names = settings.map { Array($0.0.utf8CString) }
        let values = settings.map { Array($0.1.utf8CString) }
        return withPointers(names) { names in withPointers(values) { body(names, $0) } }
    }

    private static func withPointers<Result>(
        _ texts: [[CChar]], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        // One piece of memory for all texts, because pointers into several arrays are not valid at the same time.
        var offsets: [Int] = []
        var bytes: [CChar] = []
        for text in texts {
            offsets.append(bytes.count)
            bytes += text
        }
        return bytes.withUnsafeBufferPointer { memory in
            body(offsets.map { offset in memory.baseAddress.map { $0 + offset } } + [nil])
        }
    }

    /// Whether the connection is lost. PQstatus.
    var isLost: Bool { PQstatus(handle) == CONNECTION_BAD }
    /// Whether no transaction is in progress. PQtransactionStatus.
    var isIdle: Bool { PQtransactionStatus(handle) == PQTRANS_IDLE }
    /// The socket, for poll(2). PQsocket.
    var socket: Int32 { PQsocket(handle) }

    /// The number of the server's process for this connection. PQbackendPID.
    var backend: Int32 { PQbackendPID(handle) }

    /// Runs statements without parameters. The result is that of the last one, in the text format. PQexec.
    @discardableResult
    func execute(_ sql: String, as operation: String) throws(PostgreSQLError) -> QueryResult {
        try checked(PQexec(handle, sql), operation)
    }

    /// Compiles a statement under a name, for `run`. PQprepare.
    func prepare(_ sql: String, as name: String) throws(PostgreSQLError) {
        _ = try checked(PQprepare(handle, name, sql, 0, nil), name)
    }

    /// Runs a compiled statement. The result is in the binary format. PQexecPrepared.
    func run(_ name: String, _ parameters: Parameters) throws(PostgreSQLError) -> QueryResult {
        try checked(parameters.with { PQexecPrepared(handle, name, $0, $1, $2, $3, 1) }, name)
    }

    private func checked(_ pointer: OpaquePointer?, _ operation: String) throws(PostgreSQLError) -> QueryResult {
        guard let pointer else { throw lost(operation) }
        let result = QueryResult(adopting: pointer)
        guard result.isSuccess else { throw error(result, operation) }
        return result
    }

    /// The error of a statement that has failed.
    func error(_ result: borrowing QueryResult, _ operation: String) -> PostgreSQLError {
        let message = result.message
        return message.isEmpty ? lost(operation) : PostgreSQLError(operation, code: result.code, message)
    }

    private func lost(_ operation: String) -> PostgreSQLError { PostgreSQLError(operation, message) }

    /// The last error that libpq has found. PQerrorMessage.
    var message: String { String(cString: PQerrorMessage(handle)) }

    // Statements without waiting

    /// Permits to send statements before the results of those before were read. PQenterPipelineMode.
    func beginPipeline() -> Bool { PQenterPipelineMode(handle) == 1 }
    /// Ends this; false if results were not read. PQexitPipelineMode.
    func endPipeline() -> Bool { PQexitPipelineMode(handle) == 1 }
    /// Sends a statement to be compiled; false if the connection is lost. PQsendPrepare.
    func sendPrepare(_ sql: String, as name: String) -> Bool { PQsendPrepare(handle, name, sql, 0, nil) == 1 }
    /// Sends a compiled statement; false if the connection is lost. PQsendQueryPrepared.
    func send(_ name: String, _ parameters: Parameters) -> Bool {
        parameters.with { PQsendQueryPrepared(handle, name, $0, $1, $2, $3, 1) } == 1
    }
    /// Passes to the system what libpq has collected; it reads meanwhile what the server sends. PQflush.
    func flush() -> Bool { PQflush(handle) >= 0 }
    /// Marks the end of the statements that fail with the first one that fails, and passes all to the system. PQpipelineSync.
    func synchronize() -> Bool { PQpipelineSync(handle) == 1 }
    /// Waits for the next result; nil after those of a statement, or if the connection is lost. PQgetResult.
    func nextResult() -> QueryResult? { PQgetResult(handle).map { QueryResult(adopting: $0) } }

    // Notifications

    /// Reads what has arrived, without waiting; false if the connection is lost. PQconsumeInput.
    func receive() -> Bool { PQconsumeInput(handle) == 1 }

    /// The next notification that has arrived: the process of the server for its sender, and its text. PQnotifies.
    func nextNotice() -> (process: Int32, text: String)? {
        guard let notice = PQnotifies(handle) else { return nil }
        defer { PQfreemem(notice) }
        return (notice.pointee.be_pid, String(cString: notice.pointee.extra))
    }

    // A statement without waiting

    /// Sends a statement without parameters, and does not wait; false if the connection is lost. PQsendQuery.
    func send(_ sql: String) -> Bool { PQsendQuery(handle, sql) == 1 }

    /// The first value that the sent statement has returned; nil as long as its results have not arrived as a whole, and where
    /// no statement was sent. PQisBusy, PQgetResult.
    func nextText() -> String? {
        var text: String?
        while PQisBusy(handle) == 0, let pointer = PQgetResult(handle) {
            let result = QueryResult(adopting: pointer)
            if text == nil { text = result.isSuccess ? result.text : "" }
        }
        return text
    }

    deinit { PQfinish(handle) }
}
