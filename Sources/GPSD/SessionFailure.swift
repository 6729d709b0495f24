import Platform

/// Why a connection to gpsd ended or did not come about.
public enum SessionFailure: Equatable, Sendable, CustomStringConvertible {
    /// The other side closed it.
    case closedByPeer
    /// The system refused or broke it.
    case system(SystemError)
    /// Nobody answered the attempt to connect in time.
    case connectTimedOut
    /// Whoever answered did not say what gpsd says first.
    case noGreeting
    /// gpsd was silent for too long, and did not answer when it was asked.
    case noAnswer
    /// A gpsd that speaks another protocol.
    case protocolVersion(major: Int, minor: Int)

    /// In words for the log and for `waymark doctor`.
    public var description: String {
        switch self {
        case .closedByPeer: "gpsd closed the connection"
        case .system(let error): error.description
        case .connectTimedOut: "gpsd did not accept the connection in time"
        case .noGreeting: "no gpsd banner in time: is it gpsd that listens there?"
        case .noAnswer: "the connection stood still: gpsd was silent and did not answer"
        case .protocolVersion(let major, let minor):
            "gpsd speaks protocol \(major).\(minor), and only \(ProtocolVersion.spokenMajor).x is understood"
        }
    }
}
