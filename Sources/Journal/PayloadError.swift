/// Why bytes are no payload of a recording. It never holds any of them.
enum PayloadError: Error, Equatable {
    /// The bytes end before their content does.
    case tooShort
    /// There are bytes after the end.
    case tooLong
    /// A version that this release does not know.
    case version(UInt8)
    /// Bits that nothing sets.
    case unknownBits
    /// A number that is none, or is not the kind of number that stands there.
    case number
    /// A place that is not on the Earth.
    case coordinate
}
