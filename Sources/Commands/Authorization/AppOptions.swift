import CommandLineKit
import Glibc
import Interfaces
import Location

/// Options and arguments of commands about apps.
enum AppOptions {
    static let app = Command.Argument(Value("APP", .named("apps")), "the app: the name of its manifest without .app")
    static let user = Option(
        "user", Value("USER", .named("users")), "whose app, by name or number (needed where several users have it)")
    static let precise = Option("precise", "with full accuracy")
    static let reduced = Option("reduced", "with reduced accuracy: a place some kilometres across")
    static let yes = Option("yes", short: "y", "do not ask for confirmation")

    /// The user given; nil without `--user`.
    static func user(_ session: Session) throws(CommandFailure) -> UInt32? {
        guard let text = session.invocation.text("user") else { return nil }
        return try user(text)
    }

    /// The user of a name or number.
    static func user(_ text: String) throws(CommandFailure) -> UInt32 {
        guard let number = UserName.number(text) else {
            throw .failed("NoSuchUser", "There is no user \(text) on this machine.")
        }
        return number
    }

    /// Whether full accuracy was requested; nil without an option for it.
    static func precise(_ session: Session) throws(CommandFailure) -> Bool? {
        switch (session.invocation.has("precise"), session.invocation.has("reduced")) {
        case (true, true):
            let command = session.invocation.path.dropFirst().joined(separator: " ")
            throw .usage("--precise and --reduced exclude each other.", command: command)
        case (true, false): return true
        case (false, true): return false
        case (false, false): return nil
        }
    }

    /// Asks on a terminal for confirmation of an action that cannot be undone; elsewhere `--yes` is required.
    static func confirm(_ question: String, _ session: Session) throws(CommandFailure) {
        if session.invocation.has("yes") { return }
        guard isatty(STDIN_FILENO) == 1, session.remarks.terminal.isTerminal else {
            let command = session.invocation.path.dropFirst().joined(separator: " ")
            throw .usage(
                "This cannot be undone, and without a terminal nobody can confirm it: add --yes.", command: command)
        }
        session.remarks.ask("\(question) [y/N] ")
        let answer = readLine()?.lowercased() ?? ""
        if !["y", "yes"].contains(answer) { throw .failed("NotConfirmed", "Nothing was changed.") }
    }
}

/// The words of the command line for an answer to a request.
enum AnswerWord {
    /// Every word, in the order of a prompt.
    static let all: [(word: String, choice: PromptChoice)] = [
        ("once", .allowOnce), ("while-using", .allowWhileUsing), ("keep-while-using", .keepWhileUsing),
        ("always", .changeToAlways), ("allow", .allow), ("deny", .deny),
    ]

    /// The word of a choice.
    static func text(_ choice: PromptChoice) -> String {
        all.first { $0.choice == choice }?.word ?? choice.rawValue
    }

    /// The choice of a word.
    static func choice(_ word: String) -> PromptChoice? { all.first { $0.word == word }?.choice }

    /// `once, while-using or deny`.
    static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "no answer of this version" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}
