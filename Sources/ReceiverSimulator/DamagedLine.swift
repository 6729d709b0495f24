/// Simulates errors of a serial line: turns sentences into bytes, some of them damaged.
struct DamagedLine: Sendable {
    private let damage: Damage
    private var random: SeededGenerator

    init(_ damage: Damage, seed: UInt64) {
        self.damage = damage
        random = SeededGenerator(seed: seed, stream: 3)
    }

    /// The bytes that arrive for a sentence.
    mutating func bytes(of sentence: Sentence) -> [UInt8] {
        if damage.brokenLines > 0, random.happens(damage.brokenLines) { return broken(sentence) }
        if damage.wrongChecksums > 0, random.happens(damage.wrongChecksums) { return mismatched(sentence) }
        return Array((sentence.text + "\r\n").utf8)
    }

    /// A complete sentence with a wrong checksum.
    private mutating func mismatched(_ sentence: Sentence) -> [UInt8] {
        let wrong = sentence.checksum ^ UInt8(1 + random.index(below: 255))
        return Array("$\(sentence.body)*\(Sentence.hexadecimal(wrong))\r\n".utf8)
    }

    private mutating func broken(_ sentence: Sentence) -> [UInt8] {
        let whole = Array((sentence.text + "\r\n").utf8)
        let place = 1 + random.index(below: whole.count - 4)
        switch random.index(below: 6) {
        case 0:
            // Truncated, with a line end.
            return whole.prefix(place) + Array("\r\n".utf8)
        case 1:
            // Truncated, directly followed by the next sentence.
            return Array(whole.prefix(place))
        case 2:
            // One bit is flipped, possibly the eighth.
            var flipped = whole
            flipped[place] ^= 1 << UInt8(random.index(below: 8))
            return flipped
        case 3:
            // The beginning is missing.
            return Array(whole.dropFirst(place))
        case 4:
            // Noise between the sentences, as with a wrong baud rate.
            return (0..<16 + random.index(below: 48)).map { _ in UInt8(random.index(below: 256)) } + whole
        default:
            // A line without an end, far longer than the 82 characters that the standard permits.
            let fields = (0..<150).map { _ in String(random.index(below: 1000)) }
            return Array(Sentence("GPTXT", fields).text.utf8) + Array("\r\n".utf8) + whole
        }
    }
}
