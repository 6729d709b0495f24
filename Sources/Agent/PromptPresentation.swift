import CommandLineKit
import Interfaces
import Location

/// A question as a person reads it, however it is shown: everything in it is safe to print.
public struct PromptPresentation: Equatable, Sendable {
    /// An answer and the words on its button.
    public struct Answer: Equatable, Sendable {
        /// What it decides.
        public let choice: PromptChoice
        /// Its words.
        public let label: String

        /// These words for this choice.
        public init(_ choice: PromptChoice, _ label: String) {
            self.choice = choice
            self.label = label
        }
    }

    /// The question's number.
    public let id: Int64
    /// The language of the phrases.
    public let language: Language
    /// Who asks for what.
    public let title: String
    /// The app's own reason, marked as the app's words; nil where it gives none.
    public let reason: String?
    /// Who it is, and how well that is proved.
    public let identity: String
    /// What can be answered, in the order to show it.
    public let answers: [Answer]
    /// Whether the answer says how exact the positions may be.
    public let asksAccuracy: Bool
    /// Whether full accuracy is proposed.
    public let proposesFullAccuracy: Bool

    /// The longest name of an app that is shown whole, in columns: longer ones are cut.
    public static let nameWidth = 60
    /// The same for the name of its manifest.
    public static let idWidth = 100
    /// The same for its reason.
    public static let reasonWidth = 400

    /// A question for somebody who wants to read these languages.
    public init(_ question: Question, for preference: LanguagePreference) {
        let language = preference.language
        id = question.id
        self.language = language
        title = language.text(
            question.kind.phrase, Self.safe(preference.text(question.name), Self.nameWidth, else: question.app))
        let purpose = Self.safe(preference.text(question.purpose), Self.reasonWidth)
        reason = purpose.isEmpty ? nil : language.text(.appSays, purpose)
        identity = language.text(Self.proof(question.assurance), Self.safe(question.app, Self.idWidth))
        answers = question.choices.map { Answer($0, language.text($0.phrase)) }
        asksAccuracy = question.asksAccuracy
        proposesFullAccuracy = question.proposesFullAccuracy
    }

    /// The indicator's line for an app that holds a background activity session.
    public static func indicator(_ hold: AgentMessage.Hold, for preference: LanguagePreference) -> String {
        preference.language.text(.holding, safe(preference.text(hold.appName), nameWidth, else: hold.app))
    }

    /// Text of an app without anything that could move a cursor or turn the writing, and not longer than is reasonable.
    static func safe(_ text: String, _ width: Int, else fallback: String = "") -> String {
        // What would be cut off anyway need not be looked at letter by letter.
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
        // A proof that this version does not know is not taken for more than the weakest.
        default: .provedByProgram
        }
    }
}

extension PromptKind {
    /// How it is asked.
    fileprivate var phrase: Phrase {
        switch self {
        case .whenInUse, .always: .wantsLocation
        case .changeToAlways: .wantsAlways
        case .confirmAlways: .confirmsAlways
        case .temporaryFullAccuracy: .wantsFullAccuracy
        }
    }
}

extension PromptChoice {
    /// Its words.
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
