import CommandLineKit
import Interfaces
import Location
import Varlink

/// `waymark heading`: the direction in which the machine points.
enum HeadingCommand {
    static let command = Command(
        "heading", "show in which direction the machine points",
        discussion: [
            "It needs a compass that gpsd reads; the direction of movement is the course that `waymark get` shows. It waits up"
                + " to ten seconds for the compass.",
            "Where the compass reports only one of the true and the magnetic heading, the other one follows from the"
                + " declination, which gpsd knows once there is a position.",
        ],
        options: [
            CommonOptions.json, Option("true", "print the degrees from true north alone"),
            Option("magnetic", "print the degrees from magnetic north alone"),
            Option("watch", short: "w", "continue with every change"),
            Option("filter", Value("DEGREES", .number(0...180)), "the least change with --watch (default 1)"),
            CommonOptions.noReconnect,
        ],
        examples: [
            Command.Example("waymark heading --watch --filter 5", "Whenever the machine has turned by 5 degrees."),
            Command.Example("waymark heading --magnetic", "A number for a script."),
        ])

    /// Seconds to wait for a compass.
    private static let patience = 10

    static func run(_ session: Session) throws(CommandFailure) {
        let invocation = session.invocation
        guard !(invocation.has("true") && invocation.has("magnetic")) else {
            throw .usage("--true and --magnetic exclude each other", command: "heading")
        }
        let continues = invocation.has("watch")
        let interruption = try session.interruption()
        let stream = try PatientStream(
            session, LocationInterface.MonitorHeading(headingFilter: invocation.number("filter")),
            for: continues ? nil : .seconds(patience), comesBack: continues && !invocation.has("no-reconnect"),
            until: interruption)
        var isWaitedFor = continues
        while true {
            switch try stream.next(timeout: isWaitedFor ? .seconds(patience) : nil) {
            case .reply(let reply):
                isWaitedFor = false
                try show(reply.heading, try reply.bytes(of: "heading"), session)
                guard continues else { return }
            case .nothing where isWaitedFor:
                isWaitedFor = false
                session.remarks.say(noHeading)
            case .nothing, .lost: continue
            case .expired: throw .failed("NoHeading", noHeading, .noPosition)
            }
        }
    }

    private static let noHeading =
        "No compass reports a heading: `gpspipe -w` shows whether gpsd sends the class ATT."

    private static func show(_ heading: Heading, _ bytes: [UInt8], _ session: Session) throws(CommandFailure) {
        if session.isJSON { return try session.print(json: bytes) }
        try session.print([try HeadingText(heading, session.invocation).line])
    }
}

/// A heading for a person.
struct HeadingText {
    /// The line.
    let line: String

    /// The heading that the options choose, or both.
    init(_ heading: Heading, _ invocation: Invocation) throws(CommandFailure) {
        if invocation.has("true") {
            line = try Self.number(heading.trueHeading)
        } else if invocation.has("magnetic") {
            line = try Self.number(heading.magneticHeading)
        } else {
            line = Self.sentence(heading)
        }
    }

    private static func number(_ degrees: Double?) throws(CommandFailure) -> String {
        guard let degrees else {
            throw .failed(
                "NoHeading",
                "The compass reports only the other heading, and there is no declination without a position: try"
                    + " `waymark get`.", .noPosition)
        }
        return direction(degrees)
    }

    /// Both headings, with what is known about them.
    static func sentence(_ heading: Heading) -> String {
        var parts: [String] = []
        if let degrees = heading.trueHeading {
            parts.append("\(direction(degrees))° true, \(PositionText.compass(degrees))")
        }
        if let degrees = heading.magneticHeading { parts.append("\(direction(degrees))° magnetic") }
        if let accuracy = heading.headingAccuracy { parts.append("±\(accuracy.fixed(1))°") }
        if let degrees = heading.declination {
            parts.append("declination \(abs(degrees).fixed(1))° \(degrees < 0 ? "west" : "east")")
        }
        if let pitch = heading.pitch { parts.append("pitch \(pitch.fixed(1))°") }
        if let roll = heading.roll { parts.append("roll \(roll.fixed(1))°") }
        if heading.isSimulated { parts.append("simulated") }
        return parts.joined(separator: "; ")
    }

    /// Degrees with one decimal, below 360.
    private static func direction(_ degrees: Double) -> String {
        let text = degrees.fixed(1)
        return text == "360.0" ? "0.0" : text
    }
}
