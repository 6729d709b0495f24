import CommandLineKit
import Interfaces
import JSONText
import Varlink

/// `waymark uploads rejected`: the dead letters of a recording.
struct RejectedList {
    private let session: Session
    private let choice: UploadChoice

    /// How many are asked for at once.
    private static let page: Int64 = 100

    init(_ session: Session) throws(CommandFailure) {
        self.session = session
        choice = UploadChoice(
            name: session.invocation.argument("NAME") ?? "", app: session.invocation.text("app"),
            uid: try AppOptions.user(session))
    }

    func show() throws(CommandFailure) {
        var after: Int64 = 0
        while true {
            let objects = try read(after: after)
            var letters: [KnownDeadLetter] = []
            for object in objects {
                guard let letter = KnownDeadLetter(object), letter.sequence > after else {
                    throw CommonReply.notUnderstood("a dead letter without a number, or out of order")
                }
                after = letter.sequence
                letters.append(letter)
                if session.isJSON { try session.print(json: object.bytes) }
            }
            if !session.isJSON { try session.print(letters.flatMap(Self.lines)) }
            if objects.isEmpty {
                if after == 0, !session.isJSON { session.remarks.say("\(choice.name): nothing was rejected.") }
                return
            }
        }
    }

    private func read(after: Int64) throws(CommandFailure) -> [JSON] {
        var parameters: [JSON.Member] = [
            .init("identifier", .string(choice.name)), .init("after", .integer(after)),
            .init("limit", .integer(Self.page)),
        ]
        if let app = choice.app { parameters.append(.init("app", .string(app))) }
        if let uid = choice.uid { parameters.append(.init("uid", .integer(Int64(uid)))) }
        let reply: Reply
        do throws(VarlinkError) {
            reply = try session.daemon.attempt(RecordingMethod.readRejected.rawValue, .object(parameters))
        } catch {
            throw failure(error)
        }
        guard let letters = reply.parameters["deadLetters"]?.arrayValue else {
            throw CommonReply.notUnderstood("a reply without dead letters")
        }
        return letters
    }

    private func failure(_ error: VarlinkError) -> CommandFailure {
        guard case .reply(let name, let details) = error else {
            return CommandFailure(error, socketPath: session.socketPath)
        }
        let message = details["message"]?.stringValue ?? ""
        switch ErrorName(rawValue: name) {
        case .noSuchRecording:
            return .failed(
                name: name,
                message: "There is no recording \(choice.name). `waymark uploads` lists those that are uploaded.",
                .failure)
        case .recordingAppNeeded:
            return .failed(
                name: name, message: "\(message) Add --app APP, and --user USER where that is not enough.", .usage)
        default: return CommandFailure(error, socketPath: session.socketPath)
        }
    }

    /// A dead letter in two lines: which position, and what the destination said.
    static func lines(_ letter: KnownDeadLetter) -> [String] {
        let position = letter.position
        let place = [position.coordinate.latitude, position.coordinate.longitude]
            .map { Measure.degrees($0, within: position.horizontalAccuracy) }.joined(separator: ", ")
        let answer = letter.message.isEmpty ? "" : ": \(letter.message.escapingControls)"
        return [
            "\(letter.sequence)  \(time(position.timestamp))  \(place) ±\(Measure.distance(position.horizontalAccuracy))",
            "    \(time(letter.rejectedAt)) status \(letter.status)\(answer)",
        ]
    }

    private static func time(_ seconds: Double) -> String {
        ZonedTime(seconds, in: .local).map { "\($0.date) \($0.timeOfDay)" } ?? "unknown time"
    }
}
