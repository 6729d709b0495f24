import Records

/// A statement that failed, or a connection that was lost.
struct PostgreSQLError: Error {
    /// What was attempted.
    let operation: String
    /// The code, postgresql.org/docs/15/errcodes-appendix.html; empty if libpq found the error.
    let code: String
    /// PostgreSQL's message, without any value of a row.
    let message: String

    init(_ operation: String, code: String = "", _ message: String) {
        self.operation = operation
        self.code = code
        self.message = message
    }
}

extension EngineFailure {
    /// The failure with what a person can do about it.
    init(_ error: PostgreSQLError) {
        // Messages of libpq end with a new line, and may have several lines.
        let lines = error.message.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "\t" } }
        let message = lines.joined(separator: "; ")
        self.init(error.operation, reason: Self.nextStep(after: error).map { "\(message). \($0)" } ?? message)
    }

    private static func nextStep(after error: PostgreSQLError) -> String? {
        switch error.code {
        case "40001", "40P01", "55P03": "The client repeats its request; nothing else is necessary."
        case "53100": "Free some space on the disk of PostgreSQL; nothing else is necessary."
        case "53300": "Raise max_connections of PostgreSQL, or stop other programs that use it."
        case "25006", "25P02": "Name the primary server in the connection string: a standby only reads."
        case "42501": "Make the hub's role the owner of the database, or of the schema waymark in it."
        case "": "Check the connection string, and that PostgreSQL runs. The hub connects again by itself."
        default: nil
        }
    }
}
