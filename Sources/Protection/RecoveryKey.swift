import Cryptography
import Glibc
import Platform

/// A recovery key as 24 words, which a person writes down on paper.
///
/// A word has four letters, a consonant and a vowel twice, and stands for 12 bits: it can be pronounced in many languages
/// and needs no list. The 288 bits are the 32 bytes of the key and 4 bytes of a checksum, which finds a mistyped word.
public enum RecoveryKey {
    /// The number of words.
    public static let words = 24

    private static let consonants = Array("bdfghjklmnprstvz".utf8)
    private static let vowels = Array("aiou".utf8)
    private static let checksumSize = 4

    /// The reason why words are no recovery key.
    public enum Mistake: Error, Equatable, CustomStringConvertible {
        /// There are more or fewer than 24 words.
        case count(Int)
        /// A word, counted from 1, has another form.
        case word(Int)
        /// The words do not belong together: one is mistyped, or two are exchanged.
        case checksum
        /// There is no memory for the key.
        case system(SystemError)

        /// The mistake, for people. It does not repeat a word.
        public var description: String {
            switch self {
            case .count(let count): "a recovery key has \(words) words, and these are \(count)"
            case .word(let number):
                "word \(number) is no word of a recovery key: each has four letters, such as \"lota\", a consonant and a vowel twice"
            case .checksum: "the words do not belong together: one is mistyped, or two are exchanged"
            case .system(let error): error.description
            }
        }
    }

    /// The words of a key, separated by spaces, in locked memory.
    public static func text(of key: SymmetricKey) throws(SystemError) -> Secret {
        try key.withCopy { bytes throws(SystemError) in
            let all = bytes + checksum(of: bytes)
            return try Secret(capacity: words * 5 - 1) { room throws(SystemError) in
                for word in 0..<words {
                    let value = bits(of: all, from: word * 12)
                    if word > 0 { room[word * 5 - 1] = UInt8(ascii: " ") }
                    for (index, syllable) in [value >> 6, value & 63].enumerated() {
                        room[word * 5 + index * 2] = consonants[syllable >> 2]
                        room[word * 5 + index * 2 + 1] = vowels[syllable & 3]
                    }
                }
                return room.count
            }
        }
    }

    /// The key of words. Upper case, and more than one space or line between words, are accepted.
    public static func key(of text: Secret) throws(Mistake) -> SymmetricKey {
        var values: [Int] = []
        var letters: [UInt8] = []
        var wrong: Int?
        var count = 0
        func finishWord() {
            guard !letters.isEmpty else { return }
            count += 1
            if let value = value(of: letters) { values.append(value) } else { wrong = wrong ?? count }
            letters.removeAll()
        }
        text.withBytes { bytes in
            for byte in bytes {
                if byte == 0x20 || (9...13).contains(byte) { finishWord() } else { letters.append(byte | 0x20) }
            }
        }
        finishWord()
        guard count == words else { throw .count(count) }
        if let wrong { throw .word(wrong) }
        var all = [UInt8](repeating: 0, count: words * 12 / 8)
        for (word, value) in values.enumerated() {
            for bit in 0..<12 where value >> (11 - bit) & 1 == 1 {
                let place = word * 12 + bit
                all[place / 8] |= 0x80 >> UInt8(place % 8)
            }
        }
        let bytes = Array(all.prefix(SymmetricKey.size))
        guard Array(all.suffix(checksumSize)).isSameCode(as: checksum(of: bytes)) else { throw .checksum }
        do throws(SystemError) {
            guard let key = try SymmetricKey(copying: bytes) else { throw SystemError("make a key", code: EINVAL) }
            return key
        } catch { throw .system(error) }
    }

    private static func value(of letters: [UInt8]) -> Int? {
        guard letters.count == 4 else { return nil }
        var value = 0
        for pair in [letters[..<2], letters[2...]] {
            guard let first = pair.first, let last = pair.last, let consonant = consonants.firstIndex(of: first),
                let vowel = vowels.firstIndex(of: last)
            else { return nil }
            value = value << 6 | consonant << 2 | vowel
        }
        return value
    }

    private static func bits(of bytes: [UInt8], from start: Int) -> Int {
        (start..<start + 12).reduce(0) { $0 << 1 | Int(bytes[$1 / 8] >> UInt8(7 - $1 % 8) & 1) }
    }

    private static func checksum(of bytes: [UInt8]) -> [UInt8] {
        Array(Checksum.checksum(of: bytes).prefix(checksumSize))
    }
}
