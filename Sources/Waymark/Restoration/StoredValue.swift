/// A value as a `StateStore` stores it.
public enum StoredValue: Equatable, Sendable {
    /// The most lists within each other.
    public static let maximumDepth = 32

    /// True or false.
    case bool(Bool)
    /// An integer.
    case integer(Int64)
    /// A number, also one that is not finite.
    case number(Double)
    /// Text.
    case text(String)
    /// Bytes; each occupies two bytes of the file.
    case bytes([UInt8])
    /// Values in order.
    case list([StoredValue])

    /// Whether lists are nested at most so deep.
    func isNested(atMost depth: Int) -> Bool {
        guard case .list(let values) = self else { return true }
        return depth > 0 && values.allSatisfy { $0.isNested(atMost: depth - 1) }
    }
}
