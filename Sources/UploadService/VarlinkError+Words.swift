import Interfaces
import JSONText
import Varlink

extension VarlinkError {
    /// The error, for people. Interfaces are only extended, so a daemon that does not know a method is older than this
    /// program.
    var words: String {
        guard case .reply(let name, let parameters) = self else { return description }
        let unknown =
            switch name {
            case ServiceError.methodNotFound("").name, ServiceError.methodNotImplemented("").name: parameters["method"]
            case ServiceError.interfaceNotFound("").name: parameters["interface"]
            default: JSON?.none
            }
        guard let unknown = unknown?.stringValue else { return description }
        return "the daemon is older than this program, \(WaymarkVersion.described): it does not know \(unknown)."
            + " Update it, or restart it if that was done: `systemctl restart waymark`"
    }
}
