extension Duration {
    /// The duration for people, such as `1 h`, `1 min 30 s` or `500 ms`: whole milliseconds, the largest units first;
    /// `0 s` for a negative duration.
    public var words: String {
        let units: [(name: String, milliseconds: Int64)] = [
            ("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1),
        ]
        let (seconds, attoseconds) = components
        // Nobody reads the rest of a duration of a thousand years.
        var rest = min(max(seconds, 0), 1_000 * 366 * 86_400) * 1_000 + max(attoseconds, 0) / 1_000_000_000_000_000
        var parts: [String] = []
        for unit in units where rest >= unit.milliseconds {
            parts.append("\(rest / unit.milliseconds) \(unit.name)")
            rest %= unit.milliseconds
        }
        return parts.isEmpty ? "0 s" : parts.joined(separator: " ")
    }
}
