/// Why a text is no value of a setting: the rest of a sentence that begins with the text.
public struct ValueError: Error, Equatable, CustomStringConvertible {
    /// What is wrong with it: "is not a duration".
    public let description: String
    /// What was probably meant, of a small set.
    public let suggestion: String?

    /// Whether the text may hold a secret, and is not to be repeated.
    public let hidesText: Bool

    /// An error that says this.
    public init(_ description: String, suggestion: String? = nil, hidesText: Bool = false) {
        self.description = description
        self.suggestion = suggestion
        self.hidesText = hidesText
    }
}
