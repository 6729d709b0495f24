extension Double {
    /// The number rounded to this number of decimals; unchanged if it is too large to have any.
    package func rounded(toDigits digits: Int) -> Double {
        var factor = 1.0
        for _ in 0..<digits { factor *= 10 }
        let rounded = (self * factor).rounded() / factor
        return rounded.isFinite ? rounded : self
    }

    /// The number rounded to this number of decimals, as text; without a sign if it rounds to zero.
    package func fixed(_ digits: Int) -> String {
        var factor = 1.0
        for _ in 0..<digits { factor *= 10 }
        guard let scaled = Int64(exactly: (magnitude * factor).rounded()) else { return description }
        let whole = Int64(factor)
        let sign = self < 0 && scaled > 0 ? "-" : ""
        if digits == 0 { return "\(sign)\(scaled)" }
        let fraction = String(scaled % whole)
        return "\(sign)\(scaled / whole)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}
