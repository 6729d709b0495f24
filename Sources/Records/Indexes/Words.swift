/// The words of a text: the longest runs of letters, digits and marks, in lower case. Accents count: a text is divided and
/// compared scalar by scalar, so that every engine and every machine finds the same.
enum Words {
    /// The words of a text, as UTF-8.
    static func words(of text: String) -> Set<[UInt8]> {
        var words: Set<[UInt8]> = []
        var word: [UInt8] = []
        for scalar in text.unicodeScalars {
            if isPartOfWord(scalar) {
                word += scalar.properties.lowercaseMapping.utf8
            } else if !word.isEmpty {
                words.insert(word)
                word = []
            }
        }
        if !word.isEmpty { words.insert(word) }
        return words
    }

    /// The words of a field: of a text, or of all texts of a list.
    static func words(of value: FieldValue?) -> Set<[UInt8]> {
        switch value {
        case .string(let text): words(of: text)
        case .list(let list): list.values.reduce(into: []) { $0.formUnion(words(of: $1)) }
        default: []
        }
    }

    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
        }
        let properties = scalar.properties
        if properties.isAlphabetic || properties.numericType != nil { return true }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }
}

extension Set<[UInt8]> {
    /// The words, the longest ones first, and those of one length by their bytes.
    var longestFirst: [[UInt8]] {
        sorted { $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count > $1.count }
    }
}
