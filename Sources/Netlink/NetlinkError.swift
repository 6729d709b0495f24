import CNetlink

/// What libnl could not do.
public struct NetlinkError: Error, Equatable, CustomStringConvertible {
    /// What was tried, as a person would say it.
    public let operation: String
    /// libnl's number for why it failed, NLE_*.
    public let code: Int32

    init(_ operation: String, code: Int32) {
        self.operation = operation
        self.code = abs(code)
    }

    /// The operation and libnl's words for the number, nl_geterror(3).
    public var description: String {
        "\(operation): \(nl_geterror(code).map { String(cString: $0) } ?? "error \(code)")"
    }

    /// Throws where a function of libnl's returned less than zero.
    static func check(_ operation: String, _ status: Int32) throws(NetlinkError) {
        if status < 0 { throw NetlinkError(operation, code: status) }
    }
}
