import CommandLineKit
import Interfaces
import JSONText
import Location
import Varlink

/// `waymark get`: one position.
enum GetCommand {
    static let command = Command(
        "get", "print one position",
        discussion: [
            "Prints the latest position if it is fresh and accurate enough, and otherwise waits for one. If none comes,"
                + " it prints the reason and ends with 5."
        ],
        options: [
            CommonOptions.json, CommonOptions.accuracy, Units.option, CoordinateNotation.option,
            Option("maximum-age", Value("S", .number(0...86_400), default: "10"), "no older than so many seconds"),
            Option("timeout", Value("S", .number(0...600), default: "30"), "wait at most so many seconds"),
            Option(
                "format", Value("FORMAT", .choice(Format.allCases.map(\.rawValue)), default: "text"), "how to print it"),
        ],
        examples: [
            Command.Example("waymark get --accuracy 20 --timeout 60", "Waits up to a minute for 20 metres."),
            Command.Example("xdg-open \"$(waymark get --format geo)\"", "Opens a map there."),
        ])

    /// The format of a position.
    enum Format: String, CaseIterable {
        /// All known values, for a person.
        case text
        /// `LATITUDE,LONGITUDE`.
        case decimal
        /// Degrees, minutes and seconds, rounded to the tenth of a second.
        case dms
        /// A geo URI, RFC 5870.
        case geo
    }

    static func run(_ session: Session) throws(CommandFailure) {
        let invocation = session.invocation
        let format = invocation.text("format").flatMap(Format.init) ?? .text
        let preferences = try Preferences(session, isForPeople: format == .text)
        let timeout = invocation.number("timeout") ?? PositionRequest.usualTimeout
        let request = PositionRequest(
            desiredAccuracy: invocation.number("accuracy"),
            maximumAge: invocation.number("maximum-age") ?? PositionRequest.usualMaximumAge, timeout: timeout)
        let reply = try position(request, timeout, session)
        if session.isJSON { return try session.print(json: try reply.bytes(of: "position")) }
        try session.print(lines(reply.position, format, session.terminal, preferences))
    }

    /// The time after which a person at a terminal reads why there is no position yet, seconds.
    private static let silence = 3.0

    /// The position of the daemon, after the whole timeout at most.
    private static func position(
        _ request: PositionRequest, _ timeout: Double, _ session: Session
    ) throws(CommandFailure) -> MethodReply<PositionRequest> {
        var request = request
        if !session.isJSON, session.remarks.terminal.isTerminal, timeout > silence * 2 {
            request.timeout = silence
            do throws(CommandFailure) { return try session.daemon.call(request, waiting: silence) } catch {
                guard case .failed(_, let message, .noPosition) = error else { throw error }
                let rest = timeout - silence
                session.remarks.say("\(message) Waiting for up to \(Measure.age(rest)) more; Ctrl-C ends it.")
                request.timeout = rest
            }
        }
        return try session.daemon.call(request, waiting: request.timeout ?? timeout)
    }

    static func lines(
        _ position: Position, _ format: Format, _ terminal: Terminal,
        _ preferences: Preferences = Preferences()
    ) -> [String] {
        let (latitude, longitude) = (position.coordinate.latitude, position.coordinate.longitude)
        switch format {
        case .text: return PositionText(terminal, preferences).details(position)
        case .decimal: return ["\(latitude.fixed(7)),\(longitude.fixed(7))"]
        case .dms:
            let angles = [SexagesimalAngle(latitude: latitude), SexagesimalAngle(longitude: longitude)]
            return [angles.map { $0.text(.seconds(1), in: terminal.encoding) }.joined(separator: " ")]
        case .geo:
            // RFC 5870 has altitudes above the ellipsoid, and `u` in metres.
            let altitude = position.ellipsoidalAltitude.map { ",\($0.fixed(1))" } ?? ""
            return [
                "geo:\(latitude.fixed(7)),\(longitude.fixed(7))\(altitude);u=\(position.horizontalAccuracy.fixed(1))"
            ]
        }
    }
}
