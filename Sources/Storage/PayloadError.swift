/// The reason why bytes are no valid payload. It never contains any of them.
package enum PayloadError: Error, Equatable {
    /// The bytes end before their content.
    case tooShort
    /// There are bytes after the end.
    case tooLong
    /// A version that this release does not know.
    case version(UInt8)
    /// Bits that this release never sets.
    case unknownBits
    /// A value that is no number, or not of the expected kind.
    case number
    /// A coordinate outside the valid range.
    case coordinate
    /// Numbers that are no shape of a region.
    case shape
}
