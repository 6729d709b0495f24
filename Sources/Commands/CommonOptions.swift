import CommandLineKit

/// Options of several commands.
enum CommonOptions {
    static let json = Option("json", "print JSON for programs: one object a line")
    static let noReconnect = Option("no-reconnect", "end with 3 when the daemon closes the connection")
    static let accuracy = Option(
        "accuracy", Value("M", .number(0...40_000_000)), "only positions at least so accurate, in metres")
    static let distance = Option(
        "distance", Value("M", .number(0...40_000_000)), "only positions so far from the one before, in metres")
    static let interval = Option(
        "interval", Value("S", .number(0...86_400)), "only positions so long after the one before, in seconds")
}
