import CLinux
import Glibc
import Interfaces
import Location

/// The variables that describe an event to a command.
struct EventEnvironment: Equatable {
    /// The variables by their names; nil for those that do not apply.
    private(set) var variables: [String: String?]

    /// The variables of an event of a monitor, and of the daemon that reported it.
    init(_ event: RegionsInterface.Event, monitor: String, socketPath: String) {
        variables = [
            "WAYMARK_SOCKET": socketPath, "WAYMARK_MONITOR": monitor, "WAYMARK_REGION": event.region,
            "WAYMARK_EVENT": event.kind.rawValue, "WAYMARK_STATE": event.state?.rawValue,
            "WAYMARK_REASON": event.reason?.rawValue, "WAYMARK_TIME": Self.time(event.time),
            "WAYMARK_CROSSED": event.crossed.flatMap(Self.time), "WAYMARK_SEQUENCE": String(event.sequence),
            "WAYMARK_PASSED_THROUGH": event.passedThrough ? "1" : nil,
            "WAYMARK_SIMULATED": event.isSimulated ? "1" : nil,
        ]
    }

    /// An environment with these variables, and without those of an earlier event.
    func applied(to environment: [String: String]) -> [String: String] {
        var environment = environment
        for (name, value) in variables { environment[name] = value }
        return environment
    }

    private static func time(_ seconds: Double) -> String? {
        UTCTime(secondsSinceEpoch: seconds).map { $0.iso8601(fraction: 3) }
    }

    /// The environment of this process, environ(7).
    static var ofThisProcess: [String: String] {
        var environment: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { environment[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return environment
    }
}
