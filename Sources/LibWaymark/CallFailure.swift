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
    /// The error's name in the daemon's interface; empty if it has none.
    let name: String
    /// A sentence for a person.
    let message: String

    /// An error with this number.
    init(code: Int32, name: String = "", message: String) {
        self.code = code
        self.name = name
        self.message = message
    }

    /// An error of the operating system.
    init(errno code: Int32) {
        self.init(code: -code, message: ErrorCode.message(-code))
    }

    /// A failed connection attempt.
    init(_ error: SystemError, socketPath: String) {
        switch error.code {
        case ENOENT, ECONNREFUSED:
            self.init(
                code: -error.code,
                message: "The Waymark daemon does not run: no program listens on \(socketPath). Start it with"
                    + " `systemctl start waymark`, or name another socket in WAYMARK_SOCKET.")
        default:
            self.init(code: -error.code, message: "The Waymark daemon cannot be reached: \(error.description).")
        }
    }

    /// An error that the daemon has replied.
    init(name: String, parameters: JSON) {
        let code = ErrorCode.code(of: name)
        let fallback = ErrorCode.message(code)
        let message = code == ErrorCode.incompatible ? fallback : parameters["message"]?.stringValue ?? fallback
        self.init(code: code, name: name, message: message)
    }

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
