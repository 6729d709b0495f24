import Platform

/// Why a recording cannot be replayed. Each description contains the next step.
public enum ReplayError: Error, Equatable, CustomStringConvertible {
    /// The recording cannot be read.
    case unreadable(SystemError)
    /// The recording contains only comments.
    case empty(path: String)
    /// The recording is larger than the limit.
    case tooLarge(path: String, limitBytes: Int)
    /// A pseudo-terminal, socket or process could not be created, or failed.
    case system(SystemError)
    /// gpsd is not installed.
    case gpsdMissing
    /// gpsd did not start; with its last lines of output.
    case gpsdNotReady(reason: String, output: String)
    /// gpsd ended too early; with its last lines of output.
    case gpsdEnded(ExitStatus, output: String)

    /// The error with the next step.
    public var description: String {
        switch self {
        case .unreadable(let error): "The recording cannot be read: \(error)."
        case .empty(let path): "The recording \(path) holds nothing but comments."
        case .tooLarge(let path, let limit):
            "The recording \(path) is larger than \(limit >> 20) MiB. Cut it into parts."
        case .system(let error): "The replay failed: \(error)."
        case .gpsdMissing: "The replay needs gpsd, which is not installed. Install it: apt-get install gpsd"
        case .gpsdNotReady(let reason, let output): "gpsd did not start: \(reason).\(Self.quote(output))"
        case .gpsdEnded(let status, let output): "gpsd \(status) during the replay.\(Self.quote(output))"
        }
    }

    private static func quote(_ output: String) -> String {
        output.isEmpty ? "" : " It said:\n\(output)"
    }
}
