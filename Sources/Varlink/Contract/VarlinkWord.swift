import JSONText

/// A word of a set that later releases may extend: an open enumeration. The words of this release are static members, and
/// a word of a later one is preserved.
///
///     switch recording.state {
///     case .recording: …
///     case .stopped: …
///     default: recording.state.rawValue
///     }
public protocol VarlinkWord: VarlinkReadable, VarlinkWritable, RawRepresentable, Hashable, CustomStringConvertible
where RawValue == String {
    /// The value for any word.
    init(rawValue: String)
    /// The words of this release.
    static var known: [Self] { get }
}

extension VarlinkWord {
    /// Reads a `string`.
    public init(varlink json: JSON) throws(InvalidParameter) { self.init(rawValue: try String(varlink: json)) }
    /// Writes a `string`.
    public func write(to writer: inout JSONWriter) { writer.string(rawValue) }
    /// The word.
    public var description: String { rawValue }
}
