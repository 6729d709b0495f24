/// Splits a receiver's data into NMEA sentences and the bytes between them.
enum SentenceSplitter {
    /// The longest line that counts as a sentence: NMEA 0183 permits 82 bytes, and some receivers exceed that.
    static let longestSentence = 512
    /// The longest part of other bytes.
    static let longestRun = 256

    /// Consecutive ranges that together cover all bytes.
    static func split(_ bytes: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var runStart = 0
        var position = 0
        while position < bytes.count {
            if let end = endOfSentence(bytes, from: position) {
                if runStart < position { ranges.append(runStart..<position) }
                ranges.append(position..<end)
                position = end
                runStart = end
            } else {
                position += 1
                if position - runStart == longestRun {
                    ranges.append(runStart..<position)
                    runStart = position
                }
            }
        }
        if runStart < bytes.count { ranges.append(runStart..<bytes.count) }
        return ranges
    }

    /// The end of the sentence that starts here, after its newline; nil if none starts here.
    private static func endOfSentence(_ bytes: [UInt8], from start: Int) -> Int? {
        guard bytes[start] == UInt8(ascii: "$") || bytes[start] == UInt8(ascii: "!") else { return nil }
        let limit = min(bytes.count, start + longestSentence)
        var position = start + 1
        while position < limit {
            switch bytes[position] {
            case UInt8(ascii: "\n"): return position + 1
            case UInt8(ascii: "$"): return nil
            case 0x20...0x7e, UInt8(ascii: "\r"): position += 1
            default: return nil
            }
        }
        return limit == bytes.count ? limit : nil
    }
}
