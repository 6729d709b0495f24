import Glibc
import Storage

extension StorageError {
    /// Why the copy cannot be used, and what to do, for a person.
    var sentence: String { "The copy of the records on this machine cannot be used: \(message). \(nextStep)" }

    /// What a person can do about an error of the copy, a sentence.
    var nextStep: String {
        let isFull = isFull || reason == .system(ENOSPC) || reason == .system(EDQUOT)
        return isFull ? "Free some space on the disk." : "Check the disk and the permissions of the folder."
    }
}
