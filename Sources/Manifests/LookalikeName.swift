/// A name reduced to its visual appearance: if it is equal for two names, they are easily confused.
///
/// It is a part of the skeleton of UTS #39 (Unicode Security Mechanisms), section 4: Cyrillic, Greek and Armenian
/// letters that resemble Latin ones in confusables.txt, digits that resemble letters, and fullwidth forms, all in lower
/// case and without marks and spaces. It is only used for warnings, so it need not be complete.
struct LookalikeName: Equatable {
    private let skeleton: [Unicode.Scalar]
    /// Whether a word has letters of several scripts with similar letters, UTS #39 section 5.1.
    let mixesScripts: Bool

    init(_ name: String) {
        var skeleton: [Unicode.Scalar] = []
        var scripts: Set<Script> = []
        var isMixed = false
        for scalar in name.lowercased().unicodeScalars {
            if let script = Script(scalar) {
                scripts.insert(script)
            } else if !scalar.properties.isAlphabetic {
                scripts = []
            }
            if scripts.count > 1 { isMixed = true }
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format, .spaceSeparator: continue
            default: break
            }
            let plain = (0xFF01...0xFF5E).contains(scalar.value) ? scalar.value - 0xFEE0 : scalar.value
            let narrow = Unicode.Scalar(plain).map { String($0).lowercased().unicodeScalars.first ?? $0 } ?? scalar
            skeleton.append(Self.lookalikes[narrow] ?? narrow)
        }
        self.skeleton = skeleton
        mixesScripts = isMixed
    }

    static func == (one: Self, other: Self) -> Bool { one.skeleton == other.skeleton && !one.skeleton.isEmpty }

    /// Scripts with letters that resemble those of another.
    private enum Script {
        case latin, greek, cyrillic, armenian

        init?(_ scalar: Unicode.Scalar) {
            guard scalar.properties.isAlphabetic else { return nil }
            switch scalar.value {
            case 0x41...0x5A, 0x61...0x7A, 0xC0...0x24F: self = .latin
            case 0x370...0x3FF, 0x1F00...0x1FFF: self = .greek
            case 0x400...0x52F: self = .cyrillic
            case 0x531...0x587: self = .armenian
            default: return nil
            }
        }
    }

    /// Lower case letters and digits, with the Latin letter that each resembles.
    private static let lookalikes: [Unicode.Scalar: Unicode.Scalar] = [
        "а": "a", "в": "b", "е": "e", "ѕ": "s", "і": "l", "ј": "j", "к": "k", "м": "m", "н": "h", "о": "o", "р": "p",
        "с": "c", "т": "t", "у": "y", "х": "x", "һ": "h", "ԁ": "d", "ԛ": "q", "ԝ": "w", "ӏ": "l", "г": "r", "п": "n",
        "α": "a", "β": "b", "γ": "y", "ε": "e", "η": "n", "ι": "l", "κ": "k", "μ": "u", "ν": "v", "ο": "o", "ρ": "p",
        "τ": "t", "υ": "u", "χ": "x", "ω": "w", "ա": "w", "հ": "h", "ո": "n", "ս": "u", "օ": "o", "զ": "q", "ց": "g",
        "ı": "l", "i": "l", "0": "o", "1": "l", "|": "l", "ɑ": "a", "ɡ": "g",
    ]
}
