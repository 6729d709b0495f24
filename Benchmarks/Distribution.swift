/// Numbers and where they lie.
struct Distribution {
    private let sorted: [Double]

    init(_ values: [Double]) {
        sorted = values.sorted()
    }

    var count: Int { sorted.count }
    var median: Double { percentile(0.5) }

    /// The quantile for this share; 0 without values.
    func percentile(_ share: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
    }

    /// Median, 99th percentile and maximum, of microseconds as milliseconds.
    var milliseconds: String {
        [median, percentile(0.99), sorted.last ?? 0].map { Text.fixed($0 / 1_000, 3) }.joined(separator: " / ")
            + " ms (median / 99 % / most, of \(count))"
    }
}

/// Numbers as text, without Foundation.
enum Text {
    /// With this number of decimals.
    static func fixed(_ value: Double, _ digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let whole = Int((abs(value) * scale).rounded())
        let fraction = String(whole % Int(scale))
        let sign = value < 0 && whole > 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(whole)" }
        let padding = String(repeating: "0", count: digits - fraction.count)
        return "\(sign)\(whole / Int(scale)).\(padding)\(fraction)"
    }
}
