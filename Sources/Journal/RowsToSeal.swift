/// About how many stored rows are still to be sealed with the class of their recording and other keys.
public struct RowsToSeal: Equatable, Sendable {
    /// All of them.
    public var all: Int64 = 0
    /// Those that wait, because a key with which they are sealed, or are to be, is not there at present.
    public var locked: Int64 = 0

    /// None.
    public init() {}
}
