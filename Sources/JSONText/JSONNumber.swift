/// The range of a number in a JSON text, and its digits.
public struct JSONNumber: Sendable {
    /// The whole number.
    public let range: Range<Int>
    /// Whether it is written without a fraction and an exponent.
    public let isInteger: Bool

    private let isNegative: Bool
    /// The first 18 digits after leading zeros, as an integer.
    private let digits: UInt64
    /// The number of digits after leading zeros.
    private let digitCount: Int
    /// The power of ten by which the digits are multiplied, if there are at most 18.
    private let exponent: Int

    /// Steps over the number that begins here.
    init(in text: Span<UInt8>, from start: Int) throws(JSONError) {
        var scan = Scan(place: start)
        isNegative = scan.accept(UInt8(ascii: "-"), in: text)
        let first = scan.place
        try scan.readDigits(in: text)
        guard text[first] != UInt8(ascii: "0") || scan.place == first + 1 else { throw scan.error }
        var exponent = 0
        var isInteger = true
        if scan.accept(UInt8(ascii: "."), in: text) {
            isInteger = false
            let point = scan.place
            try scan.readDigits(in: text)
            exponent = point - scan.place
        }
        (digits, digitCount) = (scan.digits, scan.count)
        if scan.place < text.count, text[scan.place] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            exponent += try scan.readExponent(in: text)
        }
        if scan.place < text.count, text[scan.place].isJSONWordCharacter { throw scan.error }
        self.isInteger = isInteger
        self.exponent = exponent
        range = start..<scan.place
    }

    /// Whether the whole range is one number.
    static func isNumber(_ range: Range<Int>, in text: Span<UInt8>) -> Bool {
        do throws(JSONError) {
            return try JSONNumber(in: text, from: range.lowerBound).range == range
        } catch {
            // A text that is no number is a word.
            return false
        }
    }

    /// The nearest double; throws `numberOutOfRange` beyond the largest one.
    func double(in text: Span<UInt8>) throws(JSONError) -> Double {
        // An integer of 53 bits and a power of ten up to 22 are exact doubles, so that one rounding yields the nearest.
        if digitCount <= 18, digits <= 1 << 53, (-22...22).contains(exponent) {
            let scale = Self.powersOfTen[abs(exponent)]
            let magnitude = exponent < 0 ? Double(digits) / scale : Double(digits) * scale
            return isNegative ? -magnitude : magnitude
        }
        guard let value = Double(text.text(of: range)), value.isFinite else {
            throw JSONError(reason: .numberOutOfRange, offset: range.lowerBound)
        }
        return value
    }

    /// The integer, also of a number that is written as `3.0` or `1e6`; throws `numberOutOfRange` if it is no integer
    /// of 64 bits.
    func integer(in text: Span<UInt8>) throws(JSONError) -> Int64 {
        let value: Int64? =
            if !isInteger {
                Int64(exactly: try double(in: text))
            } else if digitCount <= 18 {
                isNegative ? -Int64(digits) : Int64(digits)
            } else {
                Int64(text.text(of: range))
            }
        guard let value else { throw JSONError(reason: .numberOutOfRange, offset: range.lowerBound) }
        return value
    }

    /// A number without an exponent and with at most 15 digits, followed by a byte that may follow a value, which
    /// nearly all numbers are, and its end; nil for any other text. So many digits are an integer below 2^53, and the
    /// decimal places are few enough for one division to yield the nearest double.
    static func short(in text: Span<UInt8>, from start: Int) -> (value: Double, end: Int)? {
        var place = start
        guard place < text.count else { return nil }
        let isNegative = text[place] == UInt8(ascii: "-")
        if isNegative { place += 1 }
        let first = place
        var digits: UInt64 = 0
        place = readDigits(in: text, from: place, into: &digits)
        let whole = place - first
        guard whole > 0, whole == 1 || text[first] != UInt8(ascii: "0") else { return nil }
        var places = 0
        if place < text.count, text[place] == UInt8(ascii: ".") {
            let point = place
            place = readDigits(in: text, from: point + 1, into: &digits)
            places = place - point - 1
            guard places > 0 else { return nil }
        }
        guard whole + places <= 15, place == text.count || !text[place].isJSONWordCharacter else { return nil }
        let magnitude = Double(digits) / powersOfTen[places]
        return (isNegative ? -magnitude : magnitude, place)
    }

    /// Reads all digits from an offset on, and returns their end. Digits that do not fit are lost: the caller counts
    /// them.
    private static func readDigits(in text: Span<UInt8>, from start: Int, into value: inout UInt64) -> Int {
        var place = start
        while place < text.count {
            let digit = text[place] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            value = value &* 10 &+ UInt64(digit)
            place += 1
        }
        return place
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}

/// The state while a number is being stepped over.
private struct Scan {
    var place: Int
    /// The first 18 digits after leading zeros, as an integer.
    private(set) var digits: UInt64 = 0
    /// The number of digits after leading zeros.
    private(set) var count = 0

    init(place: Int) { self.place = place }

    var error: JSONError { JSONError(reason: .invalidNumber, offset: place) }

    mutating func accept(_ sign: UInt8, in text: Span<UInt8>) -> Bool {
        guard place < text.count, text[place] == sign else { return false }
        place += 1
        return true
    }

    /// Reads one or more digits.
    mutating func readDigits(in text: Span<UInt8>) throws(JSONError) {
        let start = place
        while place < text.count {
            let digit = text[place] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            if count < 18 { digits = digits &* 10 &+ UInt64(digit) }
            if digits > 0 || count > 0 { count += 1 }
            place += 1
        }
        guard place > start else { throw error }
    }

    /// Reads an exponent from its letter on.
    mutating func readExponent(in text: Span<UInt8>) throws(JSONError) -> Int {
        place += 1
        let isNegative = accept(UInt8(ascii: "-"), in: text)
        if !isNegative { _ = accept(UInt8(ascii: "+"), in: text) }
        var scan = Scan(place: place)
        defer { place = scan.place }
        try scan.readDigits(in: text)
        // Longer exponents exceed the range of a double or belong to zero, which the reader of the whole text
        // determines.
        let value = scan.count <= 6 ? Int(scan.digits) : 1_000_000
        return isNegative ? -value : value
    }
}
