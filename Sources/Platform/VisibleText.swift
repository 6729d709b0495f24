/// Finds characters in a text that a person cannot see or may misread.
///
/// The rules are Unicode's. Of the identifier types of UTS #39 (Unicode Security Mechanisms, table 1), Not_Character,
/// Deprecated and Default_Ignorable are rejected. The properties are those of the Unicode Character Database
/// (DerivedGeneralCategory.txt, DerivedCoreProperties.txt, PropList.txt) in the Swift standard library. Exceptions are
/// characters that ordinary names need: joiners in the contexts of UAX #31, section 2.3, the emoji sequences of UTS
/// #51, and variation selectors of ideographs. The limits for combining marks are those of UTS #39, section 5.4.
public enum VisibleText {
    /// What is wrong with a character.
    public enum Fault: Equatable, Sendable {
        /// A control character or a line separator.
        case control
        /// It changes the direction of writing.
        case direction
        /// It has no visible form.
        case invisible
        /// Its appearance is undefined: a private use, unassigned or deprecated character.
        case undefined
        /// A combining mark that is the fifth or later on one letter, repeats the one before, or has no letter.
        case mark
    }

    /// The most combining marks in a row, UTS #39 section 5.4.
    public static let maximumMarks = 4

    /// The first character with a fault; nil if there is none.
    public static func firstFault(in text: String) -> (scalar: Unicode.Scalar, fault: Fault)? {
        guard !isPlain(text) else { return nil }
        var found: (Unicode.Scalar, Fault)?
        visit(text) { scalar, fault in
            if found == nil, let fault { found = (scalar, fault) }
        }
        return found
    }

    /// Whether the text contains a visible character: a letter, a digit or a symbol.
    public static func isAnythingSeen(of text: String) -> Bool {
        var isSeen = false
        visit(text) { scalar, fault in
            guard fault == nil else { return }
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
                .letterNumber, .otherNumber, .mathSymbol, .currencySymbol, .otherSymbol:
                isSeen = true
            default: break
            }
        }
        return isSeen
    }

    /// Visits each character with its fault, in order.
    public static func visit(_ text: String, _ body: (Unicode.Scalar, Fault?) -> Void) {
        if isPlain(text) {
            for scalar in text.unicodeScalars { body(scalar, nil) }
            return
        }
        let scalars = Array(text.unicodeScalars)
        var flagEnd = 0
        var marks = Marks()
        for index in scalars.indices {
            let scalar = scalars[index]
            if index >= flagEnd, scalar.value == blackFlag { flagEnd = index + flagLength(scalars[index...]) }
            if index < flagEnd {
                marks = Marks(follows: scalar)
                body(scalar, nil)
            } else {
                let fault = fault(at: index, in: scalars)
                body(scalar, fault ?? (marks.accepts(scalar) ? nil : .mark))
            }
        }
    }

    /// Whether it is ASCII without control characters, as nearly every text is.
    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }

    private static func fault(at index: Int, in scalars: [Unicode.Scalar]) -> Fault? {
        let scalar = scalars[index]
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return .control
        case .privateUse, .surrogate: return .undefined
        case .unassigned: return properties.isDefaultIgnorableCodePoint ? .invisible : .undefined
        case .format where properties.isBidiControl: return .direction
        default: break
        }
        if properties.isDefaultIgnorableCodePoint {
            return isNeeded(scalar, at: index, in: scalars) ? nil : .invisible
        }
        if properties.isDeprecated { return .undefined }
        if properties.generalCategory == .format { return prependedMarks.contains(scalar.value) ? nil : .invisible }
        return blanks.contains(scalar.value) ? .invisible : nil
    }

    /// Whether an ignorable character is in a context where ordinary text needs it.
    private static func isNeeded(_ scalar: Unicode.Scalar, at index: Int, in scalars: [Unicode.Scalar]) -> Bool {
        let previous = index > 0 ? scalars[index - 1] : nil
        let next = index + 1 < scalars.count ? scalars[index + 1] : nil
        guard let previous else { return false }
        switch scalar.value {
        // The text and emoji presentation selectors, UTS #51.
        case 0xFE0E, 0xFE0F: return previous.properties.isEmoji
        case 0xFE00...0xFE0D, 0xE0100...0xE01EF: return previous.properties.isUnifiedIdeograph
        case 0x180B...0x180D, 0x180F: return mongolian.contains(previous.value)
        case 0x200C, 0x200D:
            // UAX #31 A2 and B: after a virama, also at the end of a word.
            if previous.isVirama { return true }
            guard let next else { return false }
            // A1: between letters that are joined in writing.
            if previous.isConnected, next.isConnected { return true }
            guard scalar.value == 0x200D else { return false }
            // In Bengali the joiner precedes the virama.
            if next.isVirama { return previous.properties.isAlphabetic }
            return next.isPictograph && (previous.isPictograph || previous.value == 0xFE0F)
        default: return false
        }
    }

    /// The number of characters of the flag of England, Scotland or Wales that begins here. These are the only emoji
    /// sequences with tag characters that UTS #51 recommends. 1 for a black flag alone.
    private static func flagLength(_ rest: ArraySlice<Unicode.Scalar>) -> Int {
        for region in ["gbeng", "gbsct", "gbwls"] {
            let sequence = [blackFlag] + region.utf8.map { 0xE0000 + UInt32($0) } + [0xE007F]
            if rest.prefix(sequence.count).map(\.value) == sequence { return sequence.count }
        }
        return 1
    }

    private static let blackFlag: UInt32 = 0x1F3F4
    private static let mongolian: ClosedRange<UInt32> = 0x1820...0x18AA
    /// Visible format characters: Prepended_Concatenation_Mark of PropList.txt.
    private static let prependedMarks: Set<UInt32> = [
        0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD,
    ]
    /// Letters and symbols whose glyph in the code charts is empty. There is no property for these: the braille pattern
    /// without dots, the object replacement character, the musical null notehead, the Khitan filler, and the Egyptian
    /// blanks.
    private static let blanks: Set<UInt32> = [0x2800, 0xFFFC, 0x1D159, 0x16FE4, 0x13441, 0x13442]

    /// Counts the combining marks since the last letter.
    private struct Marks {
        private var count = 0
        private var last: Unicode.Scalar?
        /// Whether there is a letter to which a mark can apply.
        private var hasBase = false

        init() {}

        init(follows base: Unicode.Scalar) { hasBase = true }

        mutating func accepts(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark:
                // A variation selector needs no letter and is invisible itself.
                if scalar.properties.isDefaultIgnorableCodePoint { return true }
                defer { (count, last) = (count + 1, scalar) }
                return hasBase && count < VisibleText.maximumMarks && last != scalar
            case .format: return true
            default:
                (count, last) = (0, nil)
                hasBase = !scalar.properties.isWhitespace
                return true
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether it is an emoji other than a digit.
    fileprivate var isPictograph: Bool { value > 0x7F && properties.isEmoji }

    /// Canonical_Combining_Class=Virama.
    fileprivate var isVirama: Bool { properties.canonicalCombiningClass == .virama }

    /// Whether it is a letter of a script whose letters join: Arabic, Syriac, N'Ko, Mandaic, Mongolian, Adlam.
    fileprivate var isConnected: Bool {
        switch value {
        case 0x0620...0x074F, 0x0750...0x077F, 0x07CA...0x07F5, 0x0840...0x08FF, 0x1820...0x18AA, 0xFB50...0xFDFF,
            0xFE70...0xFEFC, 0x1E900...0x1E943:
            switch properties.generalCategory {
            case .otherLetter, .modifierLetter, .uppercaseLetter, .lowercaseLetter, .nonspacingMark: true
            default: false
            }
        default: false
        }
    }
}
