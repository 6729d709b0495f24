import Location

/// An alert of an app: records that another machine has changed, which the app has subscribed to.
public struct AlertNotice: Equatable, Sendable {
    /// A text of the app, and the values that are filled in.
    public struct Text: Equatable, Sendable {
        /// The text with places for values.
        public var pattern: TranslatedText
        /// The values.
        public var arguments: [String]

        /// A text of these two.
        public init(_ pattern: TranslatedText, _ arguments: [String] = []) {
            self.pattern = pattern
            self.arguments = arguments
        }
    }

    /// Identifies the alert until it is acknowledged.
    public var number: Int64
    /// The id of the app.
    public var app: String
    /// The name of the app.
    public var name: TranslatedText
    /// Identifies the subscription: alerts of one are shown as one notification.
    public var subscription: String
    /// The title; nil for none.
    public var title: Text?
    /// What it says; nil for a general sentence.
    public var body: Text?
    /// How many changes there are.
    public var count: Int64

    /// An alert of these parts.
    public init(
        number: Int64, app: String, name: TranslatedText, subscription: String, title: Text? = nil, body: Text? = nil,
        count: Int64 = 1
    ) {
        self.number = number
        self.app = app
        self.name = name
        self.subscription = subscription
        self.title = title
        self.body = body
        self.count = count
    }

    /// The longest text that is shown in full, in columns.
    static let bodyWidth = 400
    /// The longest title that is shown in full, in columns.
    static let titleWidth = 60

    /// The notification for so many changes, of which the latest is this one. The app's name is always in its title, so that no app
    /// can pass for another one.
    func notification(_ count: Int64, for preference: LanguagePreference) -> DesktopNotification {
        let name = PromptPresentation.safe(preference.text(name), PromptPresentation.nameWidth, else: app)
        let title = title.map { PromptPresentation.safe($0.filled(for: preference), Self.titleWidth) } ?? ""
        let body = body.map { PromptPresentation.safe($0.filled(for: preference), Self.bodyWidth) } ?? ""
        var lines = [body.isEmpty ? preference.language.text(.alertChanged) : body]
        if count > 1 { lines.append(preference.language.text(.alertMore, "\(count - 1)")) }
        return DesktopNotification(
            summary: title.isEmpty ? name : "\(name): \(title)", lines: lines, buttons: [],
            app: DesktopNotification.App(id: app, name: name))
    }
}

extension AlertNotice.Text {
    /// The text in the person's language with its values: `%@` stands for the next one, `%2$@` for the second one and `%%` for a
    /// percent sign, as in the strings of Apple's systems. A place without a value is empty, and anything else after a percent sign
    /// stays as it is.
    func filled(for preference: LanguagePreference) -> String {
        var result = ""
        var next = 0
        var rest = preference.text(pattern)[...]
        while let sign = rest.firstIndex(of: "%") {
            result += rest[..<sign]
            rest = rest[rest.index(after: sign)...]
            if rest.first == "%" {
                result += "%"
                rest = rest.dropFirst()
            } else if rest.first == "@" {
                result += value(next)
                next += 1
                rest = rest.dropFirst()
            } else if let (index, after) = Self.place(rest) {
                result += value(index)
                rest = after
            } else {
                result += "%"
            }
        }
        return result + rest
    }

    private func value(_ index: Int) -> String { arguments.indices.contains(index) ? arguments[index] : "" }

    /// The index of `2$@`, and what follows.
    private static func place(_ text: Substring) -> (Int, Substring)? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let end = text.dropFirst(digits.count)
        guard digits.count <= 2, let number = Int(digits), number > 0, end.hasPrefix("$@") else { return nil }
        return (number - 1, end.dropFirst(2))
    }
}
