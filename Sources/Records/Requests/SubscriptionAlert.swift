/// What the account's machines show to the person when a subscription to a query fires, unlike a silent push.
///
/// It has nothing of any record. The texts for the keys are in the app's manifest on each machine, and a machine fills in the
/// values of the record's fields itself, after it has fetched the record.
public struct SubscriptionAlert: Hashable, Sendable {
    /// A text: the app's own in the person's language, or one for everybody.
    public struct Text: Hashable, Sendable {
        /// The key of the text in the app's manifest.
        public var key: AlertKey?
        /// The fields whose values are filled in, in their order. Without a key there are none.
        public var arguments: [FieldName]
        /// The text where there is no key, or the manifest does not have it.
        public var text: String?

        /// The text of a key.
        public init(key: AlertKey, arguments: [FieldName] = [], else text: String? = nil) {
            self.key = key
            self.arguments = arguments
            self.text = text
        }

        /// A text for everybody.
        public init(_ text: String) {
            arguments = []
            self.text = text
        }
    }

    /// The most fields of a text.
    public static let mostArguments = 8
    /// The longest text, in bytes.
    public static let longestText = 1_000

    /// The title, beside the app's name.
    public var title: Text?
    /// What it says; nil for a general sentence.
    public var body: Text?

    /// An alert of these texts.
    public init(title: Text? = nil, body: Text? = nil) {
        self.title = title
        self.body = body
    }

    /// All fields whose values are filled in.
    public var arguments: Set<FieldName> { Set((title?.arguments ?? []) + (body?.arguments ?? [])) }
}
