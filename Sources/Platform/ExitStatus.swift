/// How a process ended, wait(2).
public enum ExitStatus: Equatable, Sendable, CustomStringConvertible {
    /// It exited with this code.
    case exited(Int32)
    /// A signal of this number ended it.
    case killed(signal: Int32)

    /// Decodes a status of waitpid(2): the low seven bits are the signal, the next byte is the exit code.
    init(waitStatus: Int32) {
        let signal = waitStatus & 0x7f
        self = signal == 0 ? .exited((waitStatus >> 8) & 0xff) : .killed(signal: signal)
    }

    /// Whether it exited with code 0.
    public var isSuccess: Bool { self == .exited(0) }

    /// The status as text for a message.
    public var description: String {
        switch self {
        case .exited(let code): "exited with code \(code)"
        case .killed(let signal): "was killed by signal \(signal)"
        }
    }
}
