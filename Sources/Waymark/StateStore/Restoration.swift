/// The result of a restoration.
public enum Restoration: Sendable {
    /// Why a saved state was discarded unused.
    public enum DiscardReason: Equatable, Sendable {
        /// The person had forced the app to quit.
        case forcedQuit
        /// An earlier restoration of a state did not finish: the app crashed during it, or was killed, or the machine
        /// lost power.
        case unfinishedRestoration
        /// The app did not want it: `shouldRestore` returned false.
        case unwanted
        /// Another version of the app saved it, or a release of the library with another format, and the app did not
        /// migrate it.
        case version(SavedVersion)
        /// The file is damaged.
        case damaged
        /// The file is larger than the limit.
        case tooLarge
        /// The file is a link or a special file, or another user owns it or can write to it.
        case foreign
    }

    /// The app's closure has restored the state.
    case restored
    /// No state was saved.
    case nothingSaved
    /// There was a saved state, and it was discarded unused.
    case discarded(DiscardReason)
    /// A closure of the app threw this error. The state was deleted.
    case failed(any Error)
}

/// The versions with which a state was saved.
public struct SavedVersion: Equatable, Sendable {
    /// The format of the file.
    public let format: Int
    /// The version of the app; nil if the format is not known.
    public let app: Int?
}

/// The result of saving a state.
public enum Saving: Equatable, Sendable {
    /// The state is saved, durably.
    case saved
    /// The app did not want it: `shouldSave` returned false. An earlier saved state remains.
    case unwanted
    /// A restoration is in progress, and a state of this time could be incomplete. Nothing was saved.
    case restoring
}
