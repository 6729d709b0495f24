import Agent
import CommandLineKit
import Glibc
import Interfaces
import JSONText
import Platform
import Varlink

/// An agent for programs: the daemon's messages as lines on standard output, answers as lines on standard input.
final class LineAgent {
    private let session: Session
    private let link: AgentLink
    private let interruption: Interruption
    private let preference: LanguagePreference
    private var input = TypedLines(descriptor: STDIN_FILENO, limit: 64 << 10)
    private var open: Set<Int64> = []

    init(_ session: Session, _ preference: LanguagePreference) throws(CommandFailure) {
        self.session = session
        self.preference = preference
        interruption = try session.interruption()
        link = AgentLink(session, until: interruption)
    }

    /// Forwards prompts and answers until the input ends.
    func run() throws(CommandFailure) {
        try link.connect(isFirst: true)
        while try iterate() {}
    }

    private func iterate() throws(CommandFailure) -> Bool {
        let ready = try link.wait(besides: [interruption.descriptor, STDIN_FILENO])
        if let code = interruption.received() { throw .ended(code) }
        if let descriptor = link.descriptor, ready.contains(descriptor) { try receive() }
        if ready.contains(STDIN_FILENO), try !read() { return false }
        try link.connect()
        return true
    }

    private func receive() throws(CommandFailure) {
        switch try link.receive() {
        case .message(.registered, _): try say { $0.member("registered", true) }
        case .message(.prompt(let question), let bytes):
            open.insert(question.id)
            // The daemon's own object, and the phrases for it.
            guard let prompt = JSON.rawValue(in: bytes, at: ["prompt"]) else { return }
            try say { writer in
                writer.key("prompt")
                writer.raw(Array(prompt))
                writer.key("text")
                PromptPresentation(question, for: preference).write(to: &writer)
            }
        case .message(.withdrawn(let id), let bytes):
            open.remove(id)
            try session.print(json: bytes)
        case .message(.holds, let bytes): try session.print(json: bytes)
        case .lost:
            open = []
            try say { $0.member("registered", false) }
        case nil: return
        }
    }

    private func read() throws(CommandFailure) -> Bool {
        let reading: TypedLines.Reading
        do throws(SystemError) { reading = try input.read() } catch { throw CommandFailure(error) }
        switch reading {
        case .end: return false
        case .tooLong: try complain("io.waymark.CommandLine.NotUnderstood", "The line is too long.", nil)
        case .lines(let lines):
            for line in lines where !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) {
                try handle(line)
            }
        }
        return true
    }

    private func handle(_ line: [UInt8]) throws(CommandFailure) {
        guard let (method, parameters, id) = Self.call(line) else {
            let expected =
                "{\"prompt\": 7, \"choice\": \"deny\"}, {\"prompt\": 7, \"dismiss\": true} or {\"locked\": true}"
            return try complain("io.waymark.CommandLine.NotUnderstood", "A line is one of \(expected).", nil)
        }
        if let id, !open.contains(id) {
            // This also applies to a prompt that comes later: an answer to it was written before it could be read.
            return try complain(ErrorName.agentUnknownPrompt.rawValue, "Prompt \(id) is not open.", id)
        }
        do throws(VarlinkError) { try link.call(CallRequest(method: method.rawValue, parameters: parameters)) } catch {
            if let end = link.end(error) { throw end }
            let failure = CommandFailure(error, socketPath: session.socketPath)
            guard case .failed(let name, let message, _) = failure else { throw failure }
            if let id, name == ErrorName.agentUnknownPrompt.rawValue { open.remove(id) }
            return try complain(name, message, id)
        }
        if let id {
            open.remove(id)
            try say { $0.member(method == .answer ? "answered" : "dismissed", id) }
        }
    }

    /// The call for a line, and the number of its prompt; nil where the line is invalid.
    static func call(_ line: [UInt8]) -> (AgentInterface.Method, JSON, Int64?)? {
        let json: JSON
        do throws(JSONError) { json = try JSON.parse(line) } catch { return nil }
        if let locked = json["locked"]?.boolValue { return (.setLocked, ["locked": .bool(locked)], nil) }
        guard let id = json["prompt"]?.integerValue else { return nil }
        if json["dismiss"]?.boolValue == true { return (.dismiss, ["prompt": .integer(id)], id) }
        guard let choice = json["choice"]?.stringValue else { return nil }
        var members = [JSON.Member("prompt", .integer(id)), JSON.Member("choice", .string(choice))]
        switch json["precise"] {
        case nil, .null: break
        case .bool(let precise): members.append(JSON.Member("precise", .bool(precise)))
        default: return nil
        }
        return (.answer, .object(members), id)
    }

    private func complain(_ name: String, _ message: String, _ id: Int64?) throws(CommandFailure) {
        try say { writer in
            writer.member("error", name)
            writer.member("message", message)
            writer.member("prompt", id)
        }
    }

    private func say(_ body: (inout JSONWriter) -> Void) throws(CommandFailure) {
        var writer = JSONWriter()
        writer.object { body(&$0) }
        try session.print(json: writer.bytes)
    }
}

extension PromptPresentation {
    /// Writes the phrases as an object: `title`, `reason`, `identity`, and `answers` with `choice` and `label`.
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("title", title)
            writer.member("reason", reason)
            writer.member("identity", identity)
            writer.array("answers") { writer in
                for answer in answers {
                    writer.object { writer in
                        writer.member("choice", answer.choice.rawValue)
                        writer.member("label", answer.label)
                    }
                }
            }
        }
    }
}
