import CLinux
import Glibc

/// A failed call into the operating system.
public struct SystemError: Error, Equatable, CustomStringConvertible {
    /// The attempted operation in words: "open", "bind".
    public let operation: String
    /// The error number, errno(3).
    public let code: Int32
    /// The object of the operation: a path, an address.
    public let subject: String

    /// An error with this number.
    public init(_ operation: String, code: Int32, subject: String = "") {
        self.operation = operation
        self.code = code
        self.subject = subject
    }

    /// An error with the number in `errno`. To be created immediately after the failed call.
    public init(_ operation: String, subject: String = "") {
        self.init(operation, code: errno, subject: subject)
    }

    /// The operation, its subject, and the system's text for the number.
    public var description: String {
        "\(operation)\(subject.isEmpty ? "" : " \(subject)"): \(Self.text(code))"
    }

    /// The system's text for an error number, strerror(3).
    public static func text(_ code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        waymark_error_text(code, &buffer, buffer.count)
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// Runs a call that returns -1 on failure. Repeats it while a signal interrupts it, and throws its error.
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
