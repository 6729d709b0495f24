import CLinux

/// The name of a unit, or a pattern with `*`, `?` and `[-@]`, fnmatch(3).
struct UnitPattern: Sendable {
    let text: String
    /// Whether it is a name, which matches one unit only.
    let isName: Bool
    /// The literal parts between `*`, `?` and brackets, without the parts that all units have.
    let literals: [[UInt8]]

    init(_ text: String) {
        self.text = text
        isName = !text.utf8.contains(where: Self.isWild)
        var bytes = Array(text.utf8)[...]
        for ending in Self.endings where bytes.reversed().starts(with: ending.utf8.reversed()) {
            bytes.removeLast(ending.utf8.count)
            break
        }
        for prefix in ["app-flatpak-", "app-gnome-", "app-"] where bytes.starts(with: prefix.utf8) {
            bytes.removeFirst(prefix.utf8.count)
            break
        }
        literals = Self.pieces(bytes)
    }

    /// Splits the text outside brackets at every wildcard.
    private static func pieces(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
        var pieces: [[UInt8]] = [[]]
        var isInBrackets = false
        for byte in bytes {
            if isWild(byte) {
                isInBrackets = byte == UInt8(ascii: "[") || isInBrackets && byte != UInt8(ascii: "]")
                pieces.append([])
            } else if !isInBrackets {
                pieces[pieces.count - 1].append(byte)
            }
        }
        return pieces.filter { !$0.isEmpty }
    }

    private static func isWild(_ byte: UInt8) -> Bool { "*?[]".utf8.contains(byte) }

    /// The suffixes of units that have processes.
    private static let endings = [".service", ".scope"]
    private static let trigramsOfEndings = Set(endings.flatMap { Trigram.all($0.utf8) })

    /// Whether it selects specific units, in contrast to nearly all.
    var isSpecific: Bool { isName || !Self.trigramsOfEndings.isSuperset(of: trigrams) }

    /// Whether brackets are balanced and not empty.
    var isBalanced: Bool {
        var open: Int?
        for (index, byte) in text.utf8.enumerated() {
            switch (byte, open) {
            case (UInt8(ascii: "["), nil): open = index
            case (UInt8(ascii: "["), _), (UInt8(ascii: "]"), nil): return false
            case (UInt8(ascii: "]"), let start?):
                guard index > start + 1 else { return false }
                open = nil
            default: break
            }
        }
        return open == nil
    }

    /// All three-byte sequences that a matching name has to contain.
    var trigrams: [Trigram] { literals.flatMap(Trigram.all) }

    /// Whether a name matches. A backslash is literal, because names of units contain it.
    func fits(_ name: String) -> Bool { isName ? text == name : fnmatch(text, name, FNM_NOESCAPE) == 0 }
}

/// Three successive bytes.
typealias Trigram = UInt32

extension Trigram {
    /// All trigrams of a text.
    static func all(_ bytes: some Sequence<UInt8>) -> [Trigram] {
        var last: UInt32 = 0
        return bytes.enumerated().compactMap { index, byte in
            last = (last << 8 | UInt32(byte)) & 0xFF_FFFF
            return index >= 2 ? last : nil
        }
    }
}
