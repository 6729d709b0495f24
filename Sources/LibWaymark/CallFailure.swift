import CWaymark
import Glibc
import Interfaces
import JSONText
import Platform
import Varlink

/// Why a call has ended or is interrupted: the error of an event.
struct CallFailure: Equatable {
    /// A negative errno value, or one of `enum waymark_error`.
    let code: Int32
    /// The error's name in the peer's interface; empty if it has none.
    let name: String
    /// A sentence of the peer, or about this failure, for a person; nil for that of the number.
    private let sentence: String?

    /// An error with this number.
    init(code: Int32, name: String = "", message: String? = nil) {
        self.code = code
        self.name = name
        sentence = message
    }

    /// An error of the operating system.
    init(errno code: Int32) { self.init(code: -code) }

    /// A failed connection attempt.
    init(_ error: SystemError, to peer: Peer, socketPath: String) {
        switch error.code {
        case ENOENT, ECONNREFUSED:
            self.init(
                code: -error.code,
                message: "\(peer.subject) does not run: no program listens on \(socketPath). Start it with"
                    + " `\(peer.startCommand)`, or name another socket in \(peer.socketVariable).")
        default:
            self.init(code: -error.code, message: "\(peer.subject) cannot be reached: \(error.description).")
        }
    }

    /// An error that the peer has replied.
    init(name: String, parameters: JSON) {
        let code = ErrorCode.code(of: name)
        let message = code == ErrorCode.incompatible ? nil : parameters["message"]?.stringValue
        self.init(code: code, name: name, message: message)
    }

    /// A sentence for a person.
    func message(of peer: Peer) -> String { sentence ?? ErrorCode.message(code, of: peer) }

    /// The daemon does not know a parameter, and would ignore it.
    init(unknownParameter parameter: String, of method: String) {
        self.init(
            code: ErrorCode.incompatible,
            message: "The Waymark daemon is older than this program: it does not know \(parameter) of \(method)."
                + " Update the daemon, or restart it if that was done: `systemctl restart waymark`.")
    }

    /// Whether another attempt may succeed, because only the daemon, or a resource, is unavailable.
    var isTemporary: Bool {
        switch -code {
        case ENOENT, ECONNREFUSED, ECONNRESET, EAGAIN, ETIMEDOUT, EMFILE, ENFILE, ENOMEM, ENOBUFS: true
        default: false
        }
    }
}
