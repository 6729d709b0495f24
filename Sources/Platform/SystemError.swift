import CLinux
import Glibc

/// A call into the operating system that failed.
public struct SystemError: Error, Equatable, CustomStringConvertible {
    /// What was tried, as a person would say it: "open", "bind".
    public let operation: String
    /// The error number, errno(3).
    public let code: Int32
    /// What it was tried on: a path, an address.
    public let subject: String

    /// An error with this number.
    public init(_ operation: String, code: Int32, subject: String = "") {
        self.operation = operation
        self.code = code
        self.subject = subject
    }

    /// An error with the number in `errno`: to be made right after the call that failed.
    public init(_ operation: String, subject: String = "") {
        self.init(operation, code: errno, subject: subject)
    }

    /// The operation, its subject, and the system's words for the number.
    public var description: String {
        "\(operation)\(subject.isEmpty ? "" : " \(subject)"): \(Self.text(code))"
    }

    /// The system's words for an error number, strerror(3).
    public static func text(_ code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        waymark_error_text(code, &buffer, buffer.count)
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// Runs a call that returns -1 on failure, again as long as a signal interrupts it, and throws what it failed with.
@discardableResult
public func retrying<Result: SignedInteger>(
    _ operation: String, subject: @autoclosure () -> String = "", _ call: () -> Result
) throws(SystemError) -> Result {
    while true {
        let result = call()
        if result != -1 { return result }
        let code = errno
        if code != EINTR { throw SystemError(operation, code: code, subject: subject()) }
    }
}
