import Journal
import Records

extension EngineFailure {
    /// The failure of an operation on the file, with what a person can do about it.
    init(_ error: JournalError) {
        let reason = Self.nextStep(after: error).map { "\(error.message). \($0)" } ?? error.message
        self.init(error.operation, reason: reason)
    }

    private static func nextStep(after error: JournalError) -> String? {
        switch error.reason {
        case .foreign: "Choose another folder, or move the file to another place."
        case .fromTheFuture: "Install that release again, or replace the file by a backup from before it."
        case _ where error.isDamage:
            "Replace the file by a backup, or recover what is readable with the command .recover of sqlite3."
        case .sqlite(let code): nextStep(afterCode: code & 0xff)
        case .system: "Check the permissions of the folder, and the disk."
        default: nil
        }
    }

    private static func nextStep(afterCode code: Int32) -> String? {
        switch code {
        case SQLitePrimaryCode.full: "Free some space on the disk; nothing else is necessary."
        case SQLitePrimaryCode.readOnly, SQLitePrimaryCode.inputOutput, SQLitePrimaryCode.cannotOpen:
            "Check the permissions of the folder, and the disk."
        default: nil
        }
    }
}

/// Result codes of SQLite, sqlite.org/rescode.html.
private enum SQLitePrimaryCode {
    static let readOnly: Int32 = 8
    static let inputOutput: Int32 = 10
    static let full: Int32 = 13
    static let cannotOpen: Int32 = 14
}
