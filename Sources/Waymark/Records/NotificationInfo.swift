import JSONText

extension QuerySubscription {
    /// What the account's machines show when a subscription fires, with the names of `CKSubscription.NotificationInfo`.
    ///
    ///     var subscription = QuerySubscription(
    ///         recordType: "Note", subscriptionID: "new-notes", options: .firesOnRecordCreation)
    ///     subscription.notificationInfo = .init(
    ///         alertBody: "There is a new note.", alertLocalizationKey: "NewNote", alertLocalizationArgs: ["text"])
    ///     try await database.save(subscription)
    ///
    /// The texts of the keys are in the section `[Alerts]` of the app's manifest, in several languages: `NewNote=New note: %@`. Each
    /// machine fetches the record and fills in its fields itself, encrypted ones too: the hub has neither the texts nor the values.
    public struct NotificationInfo: Equatable, Sendable {
        /// The text where the manifest has none for the key, or there is no key. The hub has it.
        public var alertBody: String?
        /// The key of the text in the manifest.
        public var alertLocalizationKey: String?
        /// The fields that are filled in, instead of `%@` in their order, or of `%2$@` for the second one: up to 8. None in the
        /// public database.
        public var alertLocalizationArgs: [String]
        /// The title beside the app's name, as `alertBody`.
        public var title: String?
        /// The key of the title, as `alertLocalizationKey`.
        public var titleLocalizationKey: String?
        /// The fields that are filled in the title.
        public var titleLocalizationArgs: [String]

        /// What is shown. With no text at all it is a general sentence with the app's name.
        public init(
            alertBody: String? = nil, alertLocalizationKey: String? = nil, alertLocalizationArgs: [String] = [],
            title: String? = nil, titleLocalizationKey: String? = nil, titleLocalizationArgs: [String] = []
        ) {
            self.alertBody = alertBody
            self.alertLocalizationKey = alertLocalizationKey
            self.alertLocalizationArgs = alertLocalizationArgs
            self.title = title
            self.titleLocalizationKey = titleLocalizationKey
            self.titleLocalizationArgs = titleLocalizationArgs
        }

        init(_ json: JSON) {
            func arguments(_ text: JSON?) -> [String] {
                (text?["arguments"]?.arrayValue ?? []).compactMap(\.stringValue)
            }
            let (title, body) = (json["title"], json["body"])
            self.init(
                alertBody: body?["text"]?.stringValue, alertLocalizationKey: body?["key"]?.stringValue,
                alertLocalizationArgs: arguments(body), title: title?["text"]?.stringValue,
                titleLocalizationKey: title?["key"]?.stringValue, titleLocalizationArgs: arguments(title))
        }

        var json: JSON {
            func text(_ text: String?, _ key: String?, _ arguments: [String]) -> JSON? {
                var members: [JSON.Member] = []
                if let key { members.append(JSON.Member("key", .string(key))) }
                if !arguments.isEmpty {
                    members.append(JSON.Member("arguments", .array(arguments.map { .string($0) })))
                }
                if let text { members.append(JSON.Member("text", .string(text))) }
                return members.isEmpty ? nil : .object(members)
            }
            let title = text(title, titleLocalizationKey, titleLocalizationArgs)
            let body = text(alertBody, alertLocalizationKey, alertLocalizationArgs)
            return .object(
                [("title", title), ("body", body)].compactMap { name, text in text.map { JSON.Member(name, $0) } })
        }
    }
}
