/// Why a line could not be read. It never contains text of the line, which may contain a position.
public enum LineFault: String, Error, CaseIterable, Sendable {
    /// Not a JSON object: an incomplete line, or another protocol.
    case notAnObject
    /// Nested deeper than the limit.
    case tooDeep
    /// More members than the limit.
    case tooManyMembers
    /// An object without a class.
    case noClass
    /// libgps rejected the normalized line.
    case notUnderstood
}
