import CLinux

/// The name of a unit, or a pattern of one with `*` and `?`, fnmatch(3).
struct UnitPattern: Sendable {
    let text: String
    /// Whether it is a name: only that unit fits.
    let isName: Bool
    /// What it has word for word between `*` and `?`, without what units have in common.
    let literals: [[UInt8]]

    init(_ text: String) {
        self.text = text
        let isWild = { (byte: UInt8) in byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") }
        isName = !text.utf8.contains(where: isWild)
        var bytes = Array(text.utf8)
        if let dot = bytes.lastIndex(of: UInt8(ascii: ".")) { bytes.removeSubrange(dot...) }
        for prefix in ["app-flatpak-", "app-gnome-", "app-"] where bytes.starts(with: prefix.utf8) {
            bytes.removeFirst(prefix.utf8.count)
            break
        }
        literals = bytes.split(whereSeparator: isWild).map(Array.init)
    }

    /// Whether it is about some unit, and not about nearly any.
    var isSpecific: Bool { isName || !trigrams.isEmpty }

    /// Every three bytes in a row that a name has to have to fit.
    var trigrams: [Trigram] { literals.flatMap(Trigram.all) }

    /// Whether a name fits. A backslash is one: names have them.
    func fits(_ name: String) -> Bool { isName ? text == name : fnmatch(text, name, FNM_NOESCAPE) == 0 }
}

/// Three bytes in a row.
typealias Trigram = UInt32

extension Trigram {
    /// Those of a text.
    static func all(_ bytes: some Sequence<UInt8>) -> [Trigram] {
        var last: UInt32 = 0
        return bytes.enumerated().compactMap { index, byte in
            last = (last << 8 | UInt32(byte)) & 0xFF_FFFF
            return index >= 2 ? last : nil
        }
    }
}
