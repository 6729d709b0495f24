import Platform

/// Why a connection to gpsd ended or could not be made.
public enum SessionFailure: Equatable, Sendable, CustomStringConvertible {
    /// The peer closed it.
    case closedByPeer
    /// A system call failed.
    case system(SystemError)
    /// The attempt to connect was not answered in time.
    case connectTimedOut
    /// The peer did not send gpsd's greeting.
    case noGreeting
    /// gpsd was silent for too long, and did not reply to a query.
    case noAnswer
    /// gpsd uses another version of the protocol.
    case protocolVersion(major: Int, minor: Int)

    /// The failure as text for the log and for `waymark doctor`.
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
