import Platform

/// A recording that cannot be replayed. Each description says what to do.
public enum ReplayError: Error, Equatable, CustomStringConvertible {
    /// The recording cannot be read.
    case unreadable(SystemError)
    /// There is nothing in the recording but comments.
    case empty(path: String)
    /// The recording is larger than what is held in memory.
    case tooLarge(path: String, limitBytes: Int)
    /// No pseudo-terminal, socket or process could be made, or one failed.
    case system(SystemError)
    /// gpsd is not installed.
    case gpsdMissing
    /// gpsd did not come up; the last lines it wrote.
    case gpsdNotReady(reason: String, output: String)
    /// gpsd ended while it was needed; the last lines it wrote.
    case gpsdEnded(ExitStatus, output: String)

    /// What went wrong and what to do about it.
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
