extension Duration {
    /// The units of durations in texts, the largest first.
    public static let units: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1),
    ]

    /// The duration in as few units as possible: whole milliseconds, the largest units first, at most a thousand years; 0 s for
    /// a negative duration.
    public var parts: [(count: Int64, unit: String)] {
        let (seconds, attoseconds) = components
        var rest = min(max(seconds, 0), 1_000 * 366 * 86_400) * 1_000 + max(attoseconds, 0) / 1_000_000_000_000_000
        var parts: [(count: Int64, unit: String)] = []
        for unit in Self.units where rest >= unit.milliseconds {
            parts.append((rest / unit.milliseconds, unit.name))
            rest %= unit.milliseconds
        }
        return parts.isEmpty ? [(0, "s")] : parts
    }

    /// The duration for people, such as `1 h`, `1 min 30 s` or `500 ms`; see `parts`.
    public var words: String { parts.map { "\($0.count) \($0.unit)" }.joined(separator: " ") }
}
