import Glibc
import Records
import Storage

extension EngineFailure {
    /// The failure of an operation on the file, with what a person can do about it.
    init(_ error: StorageError) {
        let reason = Self.nextStep(after: error).map { "\(error.message). \($0)" } ?? error.message
        self.init(error.operation, reason: reason)
    }

    private static func nextStep(after error: StorageError) -> String? {
        switch error.reason {
        case .foreign: "Choose another folder, or move the file to another place."
        case .fromTheFuture: "Install that release again, or replace the file by a backup from before it."
        case _ where error.isDamage:
            "Replace the file by a backup, or recover what is readable with the command .recover of sqlite3."
        case _ where error.isFull: "Free some space on the disk; nothing else is necessary."
        case .system(ENOSPC), .system(EDQUOT): "Free some space on the disk; nothing else is necessary."
        case .system: "Check the permissions of the folder, and the disk."
        case _ where error.isInaccessible: "Check the permissions of the folder, and the disk."
        default: nil
        }
    }
}
