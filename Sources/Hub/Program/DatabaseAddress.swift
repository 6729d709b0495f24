import CommandLineKit
import Platform

/// The connection string of the options `--database` and `--database-file`.
enum DatabaseAddress {
    /// The connection string; nil without these options.
    static func text(_ invocation: Invocation) throws -> String? {
        if let file = invocation.text("database-file") {
            guard invocation.text("database") == nil else {
                throw HubStartError("--database and --database-file name two databases: use one of them")
            }
            let text = String(decoding: try BoundedFile.bytes(of: file, limit: 4_096), as: UTF8.self)
            let lines = text.split(whereSeparator: \.isNewline)
            guard lines.count == 1, let line = lines.first else {
                throw HubStartError("\(file) has not one line: write the connection string of the database into it")
            }
            return String(line)
        }
        guard let text = invocation.text("database") else { return nil }
        guard !hasPassword(text) else {
            throw HubStartError(
                "--database has a password, which every user of this machine can see: write the connection string into a"
                    + " file for --database-file, or the password into the file that PGPASSFILE names")
        }
        return text
    }

    /// Whether a connection string has a password: `password=…`, or `postgres://user:password@host`.
    static func hasPassword(_ text: String) -> Bool {
        if text.contains("password")
            && text.split(separator: "password").dropFirst().contains(where: {
                $0.drop { $0 == " " }.first == "="
            })
        {
            return true
        }
        let parts = text.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, text.hasPrefix("postgres") else { return false }
        let authority = parts[1].prefix { $0 != "/" && $0 != "?" }
        guard let at = authority.lastIndex(of: "@") else { return false }
        return authority[..<at].contains(":")
    }
}
