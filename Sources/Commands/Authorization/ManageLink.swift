import CommandLineKit
import Configuration
import Interfaces
import JSONText
import Location
import Varlink

/// What operators ask of the daemon about apps, with errors that say what to type next.
struct ManageLink {
    private let daemon: DaemonLink

    init(_ session: Session) { daemon = session.daemon }

    /// A call whose parameters a value writes, and whose errors are told in terms of the command line.
    func call(
        _ method: ManageMethod, _ advice: CommandAdvice = CommandAdvice(),
        write: (inout JSONWriter) -> Void = { $0.object { _ in } }
    ) throws(CommandFailure) -> Reply {
        let parameters = try Self.json(write)
        do throws(VarlinkError) { return try daemon.attempt(method.rawValue, parameters) } catch {
            guard case .reply(let name, let details) = error, let known = ErrorName(rawValue: name) else {
                throw CommandFailure(error, socketPath: daemon.socketPath)
            }
            let names = known == .noSuchApp ? knownNames : []
            throw advice.failure(known, details, knownNames: names)
                ?? CommandFailure(error, socketPath: daemon.socketPath)
        }
    }

    /// The same for a reply that holds an app: it, and its bytes as they came.
    func app(
        _ method: ManageMethod, _ advice: CommandAdvice, write: (inout JSONWriter) -> Void
    ) throws(CommandFailure) -> (app: KnownApp, bytes: [UInt8]) {
        let reply = try call(method, advice, write: write)
        guard let app = reply.parameters["app"].flatMap(KnownApp.init) else {
            throw CommonReply.notUnderstood("a reply without an app")
        }
        return (app, try CommonReply.raw(reply, "app"))
    }

    /// The apps there are, and the objects they came as.
    func apps(_ request: AppListRequest = AppListRequest()) throws(CommandFailure) -> (list: AppList, objects: [JSON]) {
        let reply = try call(.listApps) { request.write(to: &$0) }
        guard let list = AppList(reply.parameters) else { throw CommonReply.notUnderstood("a reply without apps") }
        return (list, reply.parameters["apps"]?.arrayValue ?? [])
    }

    /// The names of the apps there are; none where they cannot be had, as they are for a hint only.
    private var knownNames: [String] {
        do throws(CommandFailure) { return try apps().list.apps.map(\.id) } catch { return [] }
    }

    /// What a value writes, as a value.
    static func json(_ write: (inout JSONWriter) -> Void) throws(CommandFailure) -> JSON {
        var writer = JSONWriter()
        write(&writer)
        do throws(JSONError) { return try JSON.parse(writer.bytes) } catch {
            throw CommonReply.notUnderstood("\(error)")
        }
    }
}

/// What to type where the daemon refuses a command about an app.
struct CommandAdvice {
    /// The command as it was typed, without the user: `waymark authorize trailmap always`.
    var line: String
    /// The app it is about.
    var app: String
    /// The request it answers.
    var request: Int?

    init(line: String = "", app: String = "", request: Int? = nil) {
        self.line = line
        self.app = app
        self.request = request
    }

    /// The failure for an error of the daemon; nil where its own message says it best.
    func failure(_ error: ErrorName, _ details: JSON, knownNames: [String]) -> CommandFailure? {
        let message = details["message"]?.stringValue ?? ""
        switch error {
        case .noSuchApp:
            guard knownNames.contains(app) else {
                return failed(error, AppSuggestion.noSuchApp(app, among: knownNames))
            }
            return failed(error, "\(message) Without a manifest nothing but no can be decided: `waymark apps \(app)`.")
        case .userNeeded:
            return failed(error, userNeeded(details["uids"]?.arrayValue?.compactMap(\.integerValue) ?? []))
        case .manageRestricted:
            return failed(error, "\(message) `waymark restrictions` shows which.", .notAuthorized)
        case .noSuchRequest:
            let number = request.map { " \($0)" } ?? ""
            return failed(
                error, "There is no request\(number): it was answered, or never asked. `waymark requests` lists them.")
        case .requestNotOffered:
            let offered = details["choices"]?.arrayValue?.compactMap(\.stringValue) ?? []
            let words = offered.compactMap { PromptChoice(rawValue: $0).map(AnswerWord.text) }
            return failed(error, "This request takes \(AnswerWord.list(words)).", .usage)
        default: return nil
        }
    }

    private func userNeeded(_ users: [Int64]) -> String {
        guard let first = users.first else {
            return "Nobody has used \(app) yet. Say whose it is to be: \(line) --user NAME"
        }
        if users == [0] { return "\(app) is a system service, and no user's. Leave the user out: \(line)" }
        let names = users.map(UserName.text).joined(separator: ", ")
        return "Several users have \(app): \(names). Say whose: \(line) --user \(UserName.text(first))"
    }

    private func failed(
        _ error: ErrorName, _ message: String, _ code: ExitCode = .failure
    ) -> CommandFailure {
        .failed(name: error.rawValue, message: message, code)
    }
}

/// Names of apps that are near to one that there is none of.
enum AppSuggestion {
    static func noSuchApp(_ app: String, among names: [String]) -> String {
        let near = Spelling.nearest(to: app, among: names) ?? names.first { $0.lowercased().contains(app.lowercased()) }
        let hint = near.map { "Did you mean \($0)?" } ?? "`waymark apps` lists those there are."
        return "There is no app \(app): it has no manifest, and nothing is stored of it. \(hint)"
    }
}
