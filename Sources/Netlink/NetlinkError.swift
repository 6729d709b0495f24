import CNetlink
import Platform

/// What could not be done with the kernel's sockets.
public struct NetlinkError: Error, Equatable, CustomStringConvertible {
    /// What was tried, as a person would say it.
    public let operation: String
    /// Why it failed, in libnl's words or the system's.
    public let reason: String

    /// What a function of libnl's failed with, NLE_*; nl_geterror(3).
    init(_ operation: String, code: Int32) {
        self.operation = operation
        reason = nl_geterror(code).map { String(cString: $0) } ?? "error \(code)"
    }

    init(_ error: SystemError) {
        operation = error.operation
        reason = SystemError.text(error.code)
    }

    /// What was tried, and why it failed.
    public var description: String { "\(operation): \(reason)" }

    /// Throws where a function of libnl's returned less than zero.
    static func check(_ operation: String, _ status: Int32) throws(NetlinkError) {
        if status < 0 { throw NetlinkError(operation, code: status) }
    }
}
