/// A state that was read from a store, before it is restored.
public struct SavedState: Sendable {
    /// The format of the file; `StateStore.format` in this release of the library.
    public let format: Int
    /// The version of the app that saved it; nil if the format is not known.
    public let version: Int?
    /// The state; nil if the format is not known.
    public let archive: StateArchive?
    /// The content of the file after its first line: JSON in the known format.
    public let contents: [UInt8]
}
