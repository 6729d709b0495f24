/// Sizes in bytes, or in the units K, M, G and T, which are powers of 1024.
enum SizeText {
    private static let units: [(letter: Character, bytes: UInt64)] = [
        ("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10),
    ]

    /// Reads a whole number with at most one unit.
    static func parse(_ text: String) throws(ValueError) -> UInt64 {
        var digits = text[...]
        var factor: UInt64 = 1
        if let unit = units.first(where: { $0.letter == digits.last }) {
            digits.removeLast()
            factor = unit.bytes
        }
        guard !digits.isEmpty, digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            throw ValueError("is not a size")
        }
        guard let count = UInt64(decimal: digits) else { throw ValueError("is too large a size") }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: factor)
        guard !overflow else { throw ValueError("is too large a size") }
        return bytes
    }

    /// The shortest exact text.
    static func text(_ bytes: UInt64) -> String {
        guard bytes > 0, let unit = units.first(where: { bytes.isMultiple(of: $0.bytes) }) else { return String(bytes) }
        return "\(bytes / unit.bytes)\(unit.letter)"
    }
}
