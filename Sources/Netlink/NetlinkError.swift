import CNetlink
import Platform

/// A failed operation on a netlink socket.
public struct NetlinkError: Error, Equatable, CustomStringConvertible {
    /// The operation, in words for a person.
    public let operation: String
    /// The cause, in the words of libnl or of the system.
    public let reason: String

    /// An error code of libnl, NLE_*; nl_geterror(3).
    init(_ operation: String, code: Int32) {
        self.operation = operation
        reason = nl_geterror(code).map { String(cString: $0) } ?? "error \(code)"
    }

    init(_ error: SystemError) {
        operation = error.operation
        reason = SystemError.text(error.code)
    }

    /// The operation and the cause.
    public var description: String { "\(operation): \(reason)" }

    /// Throws if a function of libnl returned a negative number.
    static func check(_ operation: String, _ status: Int32) throws(NetlinkError) {
        if status < 0 { throw NetlinkError(operation, code: status) }
    }
}
