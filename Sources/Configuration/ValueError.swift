/// The reason why a text is no value of a setting: the rest of a sentence that begins with the text.
public struct ValueError: Error, Equatable, CustomStringConvertible {
    /// The error: "is not a duration".
    public let description: String
    /// The value that was probably meant, from a small set.
    public let suggestion: String?

    /// Whether the text may contain a secret, and must not be repeated in a message.
    public let hidesText: Bool

    /// An error with this description.
    public init(_ description: String, suggestion: String? = nil, hidesText: Bool = false) {
        self.description = description
        self.suggestion = suggestion
        self.hidesText = hidesText
    }
}
