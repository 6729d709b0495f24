import CommandLineKit
import Interfaces
import JSONText
import Varlink

/// `waymark uploads rejected`: the dead letters of a recording.
struct RejectedList {
    private let session: Session
    private let choice: UploadChoice
    private let preferences: Preferences

    /// The number of dead letters in one call.
    private static let page: Int64 = 100

    init(_ session: Session) throws(CommandFailure) {
        self.session = session
        choice = try UploadChoice(session)
        preferences = try Preferences(session)
    }

    func show() throws(CommandFailure) {
        var after: Int64 = 0
        while true {
            let (letters, objects) = try read(after: after)
            for (letter, object) in zip(letters, objects) {
                guard letter.sequence > after else { throw .notUnderstood("dead letters out of order") }
                after = letter.sequence
                if session.isJSON { try session.print(json: object.bytes) }
            }
            if !session.isJSON { try session.print(letters.flatMap(lines)) }
            if letters.isEmpty {
                if after == 0, !session.isJSON { session.remarks.say("\(choice.name): nothing was rejected.") }
                return
            }
        }
    }

    private func read(after: Int64) throws(CommandFailure) -> (letters: [KnownDeadLetter], objects: [JSON]) {
        let request = RecordingInterface.ReadRejected(
            identifier: choice.name, after: after, limit: Self.page, app: choice.app, uid: choice.uid)
        do throws(VarlinkError) {
            let reply = try session.daemon.attempt(request)
            return (reply.deadLetters, reply.message.parameters["deadLetters"]?.arrayValue ?? [])
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: VarlinkError) -> CommandFailure {
        guard case .reply(let name, let details) = error else {
            return CommandFailure(error, socketPath: session.socketPath)
        }
        let message = details["message"]?.stringValue ?? ""
        switch ErrorName(rawValue: name) {
        case .recordingNoSuchRecording:
            return .failed(
                name: name,
                message: "There is no recording \(choice.name). `waymark uploads` lists all uploads.",
                .failure)
        case .recordingAppNeeded:
            return .failed(
                name: name, message: "\(message) Add --app APP, and --user USER if several users have it.", .usage)
        default: return CommandFailure(error, socketPath: session.socketPath)
        }
    }

    /// A dead letter in two lines: the position, and the destination's response.
    private func lines(_ letter: KnownDeadLetter) -> [String] {
        let position = letter.position
        let accuracy = position.horizontalAccuracy
        let place = preferences.coordinates.text(
            position.coordinate, within: accuracy, in: session.terminal.encoding)
        let answer = letter.message.isEmpty ? "" : ": \(letter.message.escapingControls)"
        return [
            "\(letter.sequence)  \(Self.time(position.timestamp))  \(place) ±\(preferences.units.distance(accuracy))",
            "    \(Self.time(letter.rejectedAt)) status \(letter.status)\(answer)",
        ]
    }

    private static func time(_ seconds: Double) -> String {
        ZonedTime(seconds, in: .local).map { "\($0.date) \($0.timeOfDay)" } ?? "unknown time"
    }
}
