/// Bytes of something that a request wants, RFC 9110 section 14.
struct ByteRange: Equatable, Sendable {
    /// The offset of the first byte.
    var first: Int64
    /// How many bytes.
    var count: Int64

    static func whole(_ size: Int64) -> ByteRange { ByteRange(first: 0, count: size) }

    /// What a header requests.
    enum Reading: Equatable {
        case range(ByteRange)
        /// There are no such bytes.
        case unsatisfiable
        /// Several ranges, another unit, or nothing that is understood: the whole is sent.
        case ignored
    }

    /// Reads the value of `Range` about something of a size.
    static func read(_ header: String, size: Int64) -> Reading {
        guard header.hasPrefix("bytes=") else { return .ignored }
        let text = header.dropFirst("bytes=".count)
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return .ignored }
        let numbers = ends.map { end in end.allSatisfy(\.isASCIIDigit) ? Int64(end) : nil }
        switch (numbers[0], numbers[1]) {
        case (nil, let count?) where ends[0].isEmpty:
            let count = min(count, size)
            return count > 0 ? .range(ByteRange(first: size - count, count: count)) : .unsatisfiable
        case (let first?, nil) where ends[1].isEmpty:
            return first < size ? .range(ByteRange(first: first, count: size - first)) : .unsatisfiable
        case (let first?, let last?) where first <= last:
            guard first < size else { return .unsatisfiable }
            return .range(ByteRange(first: first, count: min(last, size - 1) - first + 1))
        default: return .ignored
        }
    }

    /// The value of `Content-Range`.
    func header(of size: Int64) -> String { "bytes \(first)-\(first + count - 1)/\(size)" }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
