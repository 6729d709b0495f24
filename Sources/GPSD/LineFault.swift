/// Why a line could not be read. It never carries any of the line's text, which may hold a position.
public enum LineFault: String, Error, CaseIterable, Sendable {
    /// Not one JSON object: half a line, another protocol.
    case notAnObject
    /// Objects within objects beyond the limit.
    case tooDeep
    /// More members than any report has.
    case tooManyMembers
    /// An object without a class.
    case noClass
    /// libgps would not read what was left after checking.
    case notUnderstood
}
