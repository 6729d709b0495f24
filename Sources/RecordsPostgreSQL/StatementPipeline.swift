import CPostgreSQL
import RecordTables

/// Sends statements to PostgreSQL without waiting for the results of those before, and compiles each once.
///
/// Nothing is known of a statement that was sent until `finish` has returned: after the error of one the server performs none
/// of those after it, up to a mark. For one thread, as its connection.
final class StatementPipeline {
    /// What is done with the result of a statement.
    typealias Receiver = (borrowing QueryResult) throws(PostgreSQLError) -> Void

    /// A statement without its result yet.
    private struct Sent {
        /// What is attempted, the statement's name.
        let operation: String
        /// Whether the statement was only compiled.
        var isCompilation = false
        let receive: Receiver?
    }

    let session: PostgreSQLSession
    private var compiled: Set<String> = []
    /// The statements since the last mark.
    private var sent: [Sent] = []
    /// The statements before each mark whose results were not read.
    private var marked: [[Sent]] = []
    /// Whether the connection is lost; its status does not always say so.
    private(set) var isLost = false
    /// Bytes that may not have been passed to the system yet.
    private var unflushed = 0

    /// How many bytes are collected before they are passed to the system, so that the server begins to work on them.
    private static let mostUnflushed = 8 << 10

    init(_ session: consuming PostgreSQLSession) { self.session = session }

    /// How many statements were sent whose results were not read.
    var count: Int { marked.reduce(sent.count) { $0 + $1.count } }

    /// Sends a statement.
    /// - Parameter receive: Is called with the result if the statement, and all before it, have succeeded.
    func send(
        _ name: String, _ sql: @autoclosure () -> String, _ parameters: Parameters, _ receive: Receiver? = nil
    ) throws(PostgreSQLError) {
        guard !isLost, session.beginPipeline() else { throw lost(name) }
        if compiled.insert(name).inserted {
            guard session.sendPrepare(sql(), as: name) else { throw lost(name) }
            sent.append(Sent(operation: name, isCompilation: true, receive: nil))
        }
        guard session.send(name, parameters) else { throw lost(name) }
        sent.append(Sent(operation: name, receive: receive))
        unflushed += parameters.size + name.utf8.count
        if unflushed > Self.mostUnflushed { try flush() }
    }

    /// Passes what was sent to the system, so that the server begins to work on it.
    func flush() throws(PostgreSQLError) {
        guard !isLost, session.flush() else { throw lost("send to PostgreSQL") }
        unflushed = 0
    }

    /// Ends the statements that fail with the first one that fails, and has the server perform them. Those that are sent next
    /// are performed after them whatever becomes of them.
    func mark() throws(PostgreSQLError) {
        guard let last = sent.last else { return }
        unflushed = 0
        guard !isLost, session.synchronize() else { throw lost(last.operation) }
        marked.append(sent)
        sent = []
    }

    /// Waits for the results of all statements that were sent.
    /// - Throws: The error of the first one that has failed.
    func finish() throws(PostgreSQLError) { try finish { (_) throws(PostgreSQLError) in } }

    /// The same, and passes the result of the last one, which has no receiver of its own, to the body.
    func finish(_ receiveLast: (borrowing QueryResult) throws(PostgreSQLError) -> Void) throws(PostgreSQLError) {
        try mark()
        var failure: PostgreSQLError?
        while !marked.isEmpty {
            do throws(PostgreSQLError) {
                if marked.count > 1 { try finishFirst() } else { try finishFirst(receiveLast) }
            } catch {
                if failure == nil { failure = error }
            }
        }
        if let failure { throw failure }
    }

    /// Waits for the results of the statements before the first mark.
    /// - Throws: The error of the first one that has failed.
    func finishFirst() throws(PostgreSQLError) { try finishFirst { (_) throws(PostgreSQLError) in } }

    private func finishFirst(
        _ receiveLast: (borrowing QueryResult) throws(PostgreSQLError) -> Void
    ) throws(PostgreSQLError) {
        guard !isLost else { throw lost("wait for PostgreSQL") }
        guard let all = marked.first, let last = all.last else { return }
        marked.removeFirst()
        var failure: PostgreSQLError?
        for (index, item) in all.enumerated() {
            guard let result = next() else { throw lost(item.operation, after: failure) }
            if result.status == PGRES_PIPELINE_ABORTED {
                if item.isCompilation { compiled.remove(item.operation) }
            } else if !result.isSuccess {
                if item.isCompilation { compiled.remove(item.operation) }
                if failure == nil { failure = session.error(result, item.operation) }
            } else if failure == nil {
                do throws(PostgreSQLError) {
                    if let receive = item.receive {
                        try receive(result)
                    } else if index == all.count - 1 {
                        try receiveLast(result)
                    }
                } catch {
                    failure = error
                }
            }
            // A null pointer ends the results of each statement.
            while session.nextResult() != nil {}
        }
        guard let end = next(), end.status == PGRES_PIPELINE_SYNC else { throw lost(last.operation, after: failure) }
        if sent.isEmpty, marked.isEmpty, !session.endPipeline() { throw lost(last.operation, after: failure) }
        if let failure { throw failure }
    }

    /// Waits until the server has finished with all statements, whatever has become of them.
    func discard() { do throws(PostgreSQLError) { try finish() } catch {} }

    /// The first result of the next statement; nil if the connection is lost. A null pointer may come before it, but not two.
    private func next() -> QueryResult? {
        if let result = session.nextResult() { return result }
        if let result = session.nextResult() { return result }
        return nil
    }

    private func lost(_ operation: String, after failure: PostgreSQLError? = nil) -> PostgreSQLError {
        isLost = true
        sent = []
        marked = []
        return failure ?? PostgreSQLError(operation, session.message)
    }
}
