import Platform

/// Why a state could not be saved, restored or discarded.
public enum StateStoreError: Error, Equatable, CustomStringConvertible {
    /// The name of an app or a store contains other characters than letters, digits, dots, hyphens and underscores.
    case invalidName(String)
    /// The environment names no folder.
    case noFolder
    /// Another user owns the folder or can write to it.
    case folderOfOthers(path: String)
    /// The state cannot be stored as it was encoded. An earlier saved state remains.
    case notStorable(StateArchiveError)
    /// A call into the operating system failed.
    case system(SystemError)

    /// A sentence with the next step.
    public var description: String {
        switch self {
        case .invalidName(let name):
            "\"\(name)\" is not a name of a state store: use up to 100 letters, digits, dots, hyphens and underscores."
        case .noFolder:
            "There is no folder for the app's state: set StateDirectory= in the service's unit, or XDG_STATE_HOME or HOME."
        case .folderOfOthers(let path):
            "The folder \(path) belongs to another user, or others can write to it: give it to the app's user with"
                + " mode 0700."
        case .notStorable(let error): error.description
        case .system(let error) where error.code.isFullDisk:
            "The app's state was not saved, because the disk is full: \(error). Free some space."
        case .system(let error): "The app's state cannot be accessed: \(error)."
        }
    }
}
