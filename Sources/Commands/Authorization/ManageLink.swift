import CommandLineKit
import Interfaces
import JSONText
import Location
import Platform
import Varlink

/// Operators' calls about apps, with errors that name the next command.
struct ManageLink {
    private let daemon: DaemonLink

    init(_ session: Session) { daemon = session.daemon }

    /// A call whose errors are described in terms of the command line.
    func call<Method: VarlinkMethod>(
        _ method: Method, _ advice: CommandAdvice = CommandAdvice()
    ) throws(CommandFailure) -> MethodReply<Method> {
        do throws(VarlinkError) { return try daemon.attempt(method) } catch { throw failure(error, advice) }
    }

    /// The elements of a list that this version understands, and the objects of all elements.
    func list<Element: VarlinkReadable>(
        _ method: some VarlinkMethod, _ name: String, of _: Element.Type = Element.self
    ) throws(CommandFailure) -> (elements: [Element], objects: [JSON]) {
        let reply: Reply
        do throws(VarlinkError) { reply = try daemon.reply(to: CallRequest(method)) } catch {
            throw failure(error, CommandAdvice())
        }
        return try reply.list(name)
    }

    /// The known apps, and their objects.
    func apps(
        _ request: ManageInterface.ListApps = ManageInterface.ListApps()
    ) throws(CommandFailure) -> (list: ManageInterface.ListApps.Reply, objects: [JSON]) {
        let reply = try call(request)
        return (reply.value, reply.message.parameters["apps"]?.arrayValue ?? [])
    }

    private func failure(_ error: VarlinkError, _ advice: CommandAdvice) -> CommandFailure {
        guard case .reply(let name, let details) = error, let known = ErrorName(rawValue: name) else {
            return CommandFailure(error, socketPath: daemon.socketPath)
        }
        let names = known == .manageNoSuchApp ? knownNames : []
        return advice.failure(known, details, knownNames: names)
            ?? CommandFailure(error, socketPath: daemon.socketPath)
    }

    /// The names of the known apps; empty where they are unavailable, because they are for a hint only.
    private var knownNames: [String] {
        do throws(CommandFailure) { return try apps().list.apps.map(\.id) } catch { return [] }
    }
}

/// The next command after the daemon has refused one about an app.
struct CommandAdvice {
    /// The command as it was typed, without the user: `waymark authorize trailmap always`.
    var line: String
    /// The app of the command.
    var app: String
    /// The request of the command.
    var request: Int?

    init(line: String = "", app: String = "", request: Int? = nil) {
        self.line = line
        self.app = app
        self.request = request
    }

    /// The failure for an error of the daemon; nil where its own message is sufficient.
    func failure(_ error: ErrorName, _ details: JSON, knownNames: [String]) -> CommandFailure? {
        let message = details["message"]?.stringValue ?? ""
        switch error {
        case .manageNoSuchApp:
            guard knownNames.contains(app) else {
                return failed(error, AppSuggestion.noSuchApp(app, among: knownNames))
            }
            return failed(error, "\(message) Without a manifest only deny is possible: `waymark apps \(app)`.")
        case .manageUserNeeded:
            return failed(error, userNeeded(details["uids"]?.arrayValue?.compactMap(\.integerValue) ?? []))
        case .manageRestricted:
            return failed(error, "\(message) `waymark restrictions` shows which.", .notAuthorized)
        case .manageNoSuchRequest:
            let number = request.map { " \($0)" } ?? ""
            return failed(
                error,
                "There is no request\(number): it was answered, or never existed. `waymark requests` lists them.")
        case .manageNotOffered:
            let offered = details["choices"]?.arrayValue?.compactMap(\.stringValue) ?? []
            let words = offered.compactMap { PromptChoice(rawValue: $0).map(AnswerWord.text) }
            return failed(error, "The choices of this request are \(AnswerWord.list(words)).", .usage)
        default: return nil
        }
    }

    private func userNeeded(_ users: [Int64]) -> String {
        guard let first = users.first else {
            return "Nobody has used \(app) yet. Name the user: \(line) --user NAME"
        }
        if users == [0] { return "\(app) is a system service and belongs to no user. Omit --user: \(line)" }
        let names = users.map(UserName.text).joined(separator: ", ")
        return "Several users have \(app): \(names). Name one: \(line) --user \(UserName.text(first))"
    }

    private func failed(
        _ error: ErrorName, _ message: String, _ code: ExitCode = .failure
    ) -> CommandFailure {
        .failed(name: error.rawValue, message: message, code)
    }
}

/// Names of apps similar to an unknown one.
enum AppSuggestion {
    static func noSuchApp(_ app: String, among names: [String]) -> String {
        let near = Spelling.nearest(to: app, among: names) ?? names.first { $0.lowercased().contains(app.lowercased()) }
        let hint = near.map { "Did you mean \($0)?" } ?? "`waymark apps` lists all apps."
        return "There is no app \(app): it has neither a manifest nor stored data. \(hint)"
    }
}
