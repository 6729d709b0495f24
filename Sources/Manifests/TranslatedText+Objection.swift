import Location
import Platform

extension TranslatedText {
    /// Why a text may not be shown in a prompt; nil for a valid one.
    static func objection(to text: String, maximumLetters: Int) -> String? {
        let count = text.unicodeScalars.count
        guard count <= maximumLetters else { return "has \(count) letters; \(maximumLetters) are allowed" }
        guard let (scalar, fault) = VisibleText.firstFault(in: text) else { return nil }
        switch fault {
        case .control: return "has a control character, which a prompt cannot show"
        case .direction:
            // Bidirectional embeddings, overrides and isolates can make a prompt read differently.
            return "has a character that turns the direction of writing, which can disguise a text"
        case .invisible: return "has an invisible character: \(Self.number(of: scalar))"
        case .undefined: return "has a character without a defined appearance: \(Self.number(of: scalar))"
        case .mark:
            return "has more than \(VisibleText.maximumMarks) marks on one letter, one twice, or one without a letter:"
                + " \(Self.number(of: scalar))"
        }
    }

    /// The code point in the notation of the Unicode Standard.
    private static func number(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
