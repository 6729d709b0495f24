import Glibc
import JSONText
import Platform
import TestSupport

/// The statements that a connection to PostgreSQL has run, from the log that a server writes with `log_destination=jsonlog` and
/// `log_statement=all`, postgresql.org/docs/15/runtime-config-logging.html.
struct StatementLog {
    private struct Execution {
        var statement: Int
        var parameters: [String?]
    }

    private var texts: [String] = []
    private var executions: [Execution] = []

    /// How many transactions that change something were committed.
    var commits: Int { executions.count { texts[$0.statement] == "COMMIT" } }

    /// Reads the statements of the connection that has committed most.
    init(path: String) throws {
        var sessions: [String: StatementLog] = [:]
        for line in try BoundedFile.bytes(of: path, limit: 1 << 30).split(separator: UInt8(ascii: "\n")) {
            guard let entry = attempt({ () throws(JSONError) in try JSON.parse(Array(line), maximumDepth: 4) }),
                let session = entry["session_id"]?.stringValue, let message = entry["message"]?.stringValue
            else { continue }
            sessions[session, default: StatementLog()].add(message, entry["detail"]?.stringValue ?? "")
        }
        self = sessions.values.max { $0.commits < $1.commits } ?? StatementLog()
    }

    private init() {}

    /// Messages are "statement: TEXT" and "execute NAME: TEXT".
    private mutating func add(_ message: String, _ detail: String) {
        guard message.hasPrefix("statement: ") || message.hasPrefix("execute "),
            let colon = message.firstRange(of: ": ")
        else { return }
        let text = String(message[colon.upperBound...])
        // Those that prepare a connection are several in one.
        guard !text.contains(";"), !text.hasPrefix("SET "), !text.hasPrefix("LISTEN") else { return }
        let number = texts.firstIndex(of: text) ?? texts.count
        if number == texts.count { texts.append(text) }
        executions.append(Execution(statement: number, parameters: Self.parameters(detail)))
    }

    /// The values in "parameters: $1 = 'one', $2 = NULL", in which quotes are doubled.
    private static func parameters(_ detail: String) -> [String?] {
        var values: [String?] = []
        var rest = detail.utf8[...]
        while let sign = rest.firstRange(of: " = ".utf8) {
            rest = rest[sign.upperBound...]
            guard rest.first == UInt8(ascii: "'") else {
                values.append(nil)
                continue
            }
            rest.removeFirst()
            var value: [UInt8] = []
            while let quote = rest.firstIndex(of: UInt8(ascii: "'")) {
                value += rest[..<quote]
                rest = rest[rest.index(after: quote)...]
                guard rest.first == UInt8(ascii: "'") else { break }
                value.append(UInt8(ascii: "'"))
                rest.removeFirst()
            }
            values.append(String(decoding: value, as: UTF8.self))
        }
        return values
    }

    /// Whether a transaction ends after this execution.
    private func isLast(_ index: Int) -> Bool {
        index + 1 == executions.count || texts[executions[index + 1].statement].hasPrefix("BEGIN")
    }

    /// How many requests an execution stores: as many as the last list of the statement that stores their answers has elements,
    /// which are their times.
    private func requests(_ execution: Execution) -> Int {
        guard texts[execution.statement].hasPrefix("INSERT INTO answers"), let times = execution.parameters.last ?? nil
        else { return 0 }
        return times.utf8.count { $0 == UInt8(ascii: ",") } + 1
    }

    /// For each execution how many requests its transaction stores.
    private var requestsOfTransactions: [Int] {
        var numbers = [Int](repeating: 0, count: executions.count)
        var start = 0
        for index in executions.indices where isLast(index) {
            let sum = executions[start...index].reduce(0) { $0 + requests($1) }
            for member in start...index { numbers[member] = sum }
            start = index + 1
        }
        return numbers
    }

    /// The statements in the format of the peers (Peers/statements.h). They wait where the next statement begins a transaction, and
    /// may wait where the first one that writes follows those that read.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        func add(_ number: Int) { withUnsafeBytes(of: Int32(number)) { bytes += $0 } }
        func add(_ text: String) {
            add(text.utf8.count)
            bytes += text.utf8
            bytes.append(0)
        }
        add(texts.count)
        for text in texts { add(text) }
        add(executions.count)
        var hasWritten = false
        let requests = requestsOfTransactions
        for (index, execution) in executions.enumerated() {
            let isLast = isLast(index)
            let next = isLast ? "" : texts[executions[index + 1].statement]
            let isWriteNext = ["INSERT", "UPDATE", "DELETE"].contains { next.hasPrefix($0) }
            add(execution.statement)
            add(isLast ? 1 : isWriteNext && !hasWritten ? 2 : 0)
            hasWritten = !isLast && (hasWritten || isWriteNext)
            add(requests[index])
            add(execution.parameters.count)
            for value in execution.parameters {
                if let value { add(value) } else { add(-1) }
            }
        }
        return bytes
    }
}
