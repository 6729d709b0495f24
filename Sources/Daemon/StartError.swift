import Glibc
import Platform

/// Why the daemon did not start, in words for an administrator.
enum StartError: Error, Equatable, CustomStringConvertible {
    /// The daemon cannot listen at this path.
    case cannotListen(path: String, SystemError)
    /// The passed socket with this name cannot be used.
    case unusableSocket(name: String)
    /// The number of passed routing sockets is wrong.
    case routingSockets(count: Int)

    var description: String {
        switch self {
        case .cannotListen(let path, let error):
            switch error.code {
            case EADDRINUSE:
                "another daemon listens on \(path): stop it, or choose another socket with --socket"
            case EEXIST:
                "\(path) exists and is no socket: remove it, or choose another path with --socket"
            case ENOENT:
                "the folder of \(path) does not exist: make it, or choose another path with --socket"
            case EACCES, EPERM:
                "this user may not make \(path): run as another, or choose another path with --socket"
            default: "no socket at \(path): \(SystemError.text(error.code))"
            }
        case .unusableSocket(let name):
            "the socket \(name) that systemd handed over is of no use here: only ListenStream= with a path, and"
                + " ListenNetlink=route, are"
        case .routingSockets(let count):
            "systemd handed over \(count) netlink sockets: two are needed, each by a line ListenNetlink=route of a socket"
                + " unit, or none"
        }
    }
}
