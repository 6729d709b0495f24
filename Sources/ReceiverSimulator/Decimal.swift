/// Numbers as text of fixed width, without a locale.
enum Decimal {
    /// A number with this many digits after the point and at least this many before it; empty if it is not finite or
    /// has more than 15 digits.
    ///
    ///     text(3.14159, fraction: 2) == "3.14"    text(7, fraction: 0, integer: 3) == "007"
    ///     text(-0.004, fraction: 2) == "0.00"     text(.nan, fraction: 1) == ""
    static func text(_ value: Double, fraction: Int, integer: Int = 1) -> String {
        var scale = 1.0
        for _ in 0..<fraction { scale *= 10 }
        let scaled = (abs(value) * scale).rounded()
        guard scaled < 1e15 else { return "" }
        let digits = padded(Int(scaled), to: fraction + integer)
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard fraction > 0 else { return sign + digits }
        return sign + digits.dropLast(fraction) + "." + digits.suffix(fraction)
    }

    /// A non-negative whole number with leading zeros up to a width.
    static func padded(_ value: Int, to width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
