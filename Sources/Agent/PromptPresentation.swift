import CommandLineKit
import Interfaces
import Location

/// A prompt in a person's language, for any kind of display: every text in it is safe to print.
public struct PromptPresentation: Equatable, Sendable {
    /// An answer and the words on its button.
    public struct Answer: Equatable, Sendable {
        /// The choice of the button.
        public let choice: PromptChoice
        /// The label of the button.
        public let label: String

        /// An answer with this label for this choice.
        public init(_ choice: PromptChoice, _ label: String) {
            self.choice = choice
            self.label = label
        }
    }

    /// The prompt's number.
    public let id: Int64
    /// The language of the phrases.
    public let language: Language
    /// The app and its request.
    public let title: String
    /// The title for displays that cut a title: at most `shortTitleLength` characters.
    public let shortTitle: String
    /// The request, with its distinguishing words first, to be shown with `shortTitle`.
    public let scope: String
    /// The app's own reason, marked as the app's words; nil if it gives none.
    public let reason: String?
    /// The app's identity, and how strongly it is proved.
    public let identity: String
    /// The possible answers, in the order to show them.
    public let answers: [Answer]
    /// Whether the person also chooses the accuracy of the positions.
    public let asksAccuracy: Bool
    /// Whether full accuracy is proposed.
    public let proposesFullAccuracy: Bool

    /// The longest name of an app that is shown in full, in columns; longer names are cut.
    public static let nameWidth = 60
    /// The most characters of a short title, as notification services show them on a narrow screen.
    public static let shortTitleLength = 30
    /// The longest id of an app that is shown in full, in columns.
    public static let idWidth = 100
    /// The longest reason that is shown in full, in columns.
    public static let reasonWidth = 400

    /// A prompt for a person with this preference of languages.
    public init(_ question: Question, for preference: LanguagePreference) {
        let language = preference.language
        id = question.id
        self.language = language
        title = language.text(
            question.kind.phrase, Self.safe(preference.text(question.name), Self.nameWidth, else: question.app))
        shortTitle = Self.shortTitle(
            question.kind.shortTitle, Self.safe(preference.text(question.name), Self.nameWidth, else: question.app),
            language)
        scope = language.text(question.kind.scope)
        let purpose = Self.safe(preference.text(question.purpose), Self.reasonWidth)
        reason = purpose.isEmpty ? nil : language.text(.appSays, purpose)
        identity = language.text(Self.proof(question.assurance), Self.safe(question.app, Self.idWidth))
        answers = question.choices.map { Answer($0, language.text($0.phrase)) }
        asksAccuracy = question.asksAccuracy
        proposesFullAccuracy = question.proposesFullAccuracy
    }

    /// The line for an app with a background activity session: a sentence, or, for a notification, with the
    /// distinguishing words first.
    public static func indicator(
        _ hold: AgentMessage.Hold, for preference: LanguagePreference, as phrase: Phrase = .holding
    ) -> String {
        preference.language.text(phrase, safe(preference.text(hold.appName), nameWidth, else: hold.app))
    }

    /// The title with as much of the name as there is room for.
    private static func shortTitle(_ phrase: Phrase, _ name: String, _ language: Language) -> String {
        let room = shortTitleLength - language.text(phrase, "").count
        return language.text(phrase, name.count > room ? "\(name.prefix(max(1, room - 1)))…" : name)
    }

    /// A text of an app without characters that move the cursor or change the text direction, cut to this width.
    static func safe(_ text: String, _ width: Int, else fallback: String = "") -> String {
        // Only the visible beginning has to be checked letter by letter.
        let beginning = String(text.unicodeScalars.prefix(width * 4))
        let words = beginning.split { $0.isWhitespace && !$0.isNewline && $0 != "\t" }.joined(separator: " ")
        let safe = words.escapingControls.truncated(to: width)
        return safe.isEmpty && !fallback.isEmpty ? self.safe(fallback, width) : safe
    }

    private static func proof(_ assurance: String?) -> Phrase {
        switch assurance {
        case "socket": .provedBySocket
        case "unit": .provedByUnit
        case "user": .provedByUser
        case nil: .notProved
        // A proof that this version does not know counts as the weakest.
        default: .provedByProgram
        }
    }
}

extension PromptKind {
    /// The phrase of the request.
    fileprivate var phrase: Phrase {
        switch self {
        case .whenInUse, .always: .wantsLocation
        case .changeToAlways: .wantsAlways
        case .confirmAlways: .confirmsAlways
        case .temporaryFullAccuracy: .wantsFullAccuracy
        case .tracking: .wantsTracking
        }
    }
}

extension PromptKind {
    /// The phrase for the scope of the request.
    fileprivate var scope: Phrase {
        switch self {
        case .whenInUse, .always: .scopeInUse
        case .changeToAlways: .scopeAlways
        case .confirmAlways: .scopeBackground
        case .temporaryFullAccuracy: .scopeFullAccuracy
        case .tracking: .scopeTracking
        }
    }

    /// The phrase of the short title.
    fileprivate var shortTitle: Phrase { self == .tracking ? .shortTrackingTitle : .shortTitle }
}

extension PromptChoice {
    /// The phrase of the choice.
    fileprivate var phrase: Phrase {
        switch self {
        case .allowOnce: .allowOnce
        case .allowWhileUsing: .allowWhileUsing
        case .deny: .deny
        case .keepWhileUsing: .keepWhileUsing
        case .changeToAlways: .changeToAlways
        case .allow: .allow
        }
    }
}
