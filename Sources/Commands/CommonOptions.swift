import CommandLineKit
import Varlink

/// Options that several commands take.
enum CommonOptions {
    static let json = Option("json", "print JSON for programs: one object a line")
    static let noReconnect = Option("no-reconnect", "end with 3 when the daemon ends the connection")
    static let accuracy = Option(
        "accuracy", Value("M", .number(0...40_000_000)), "only positions at least so accurate, in metres")
    static let distance = Option(
        "distance", Value("M", .number(0...40_000_000)), "only positions so far from the one before, in metres")
    static let interval = Option(
        "interval", Value("S", .number(0...86_400)), "only positions so long after the one before, in seconds")
}

/// What several commands do with replies.
enum CommonReply {
    /// A parameter's bytes exactly as the daemon sent them.
    static func raw(_ reply: Reply, _ name: String) throws(CommandFailure) -> [UInt8] {
        guard let bytes = reply.rawParameter(name) else { throw notUnderstood("a reply without \(name)") }
        return bytes
    }

    /// The daemon said something that makes no sense.
    static func notUnderstood(_ what: String) -> CommandFailure {
        .failed("NotUnderstood", "The Waymark daemon's answer cannot be understood: \(what).")
    }
}
