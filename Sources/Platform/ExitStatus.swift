/// How a process ended, wait(2).
public enum ExitStatus: Equatable, Sendable, CustomStringConvertible {
    /// It ended by itself, with this code.
    case exited(Int32)
    /// A signal of this number ended it.
    case killed(signal: Int32)

    /// The status in the encoding of waitpid(2): the low seven bits hold the signal, the next byte the code.
    init(waitStatus: Int32) {
        let signal = waitStatus & 0x7f
        self = signal == 0 ? .exited((waitStatus >> 8) & 0xff) : .killed(signal: signal)
    }

    /// Whether it ended by itself with code 0.
    public var isSuccess: Bool { self == .exited(0) }

    /// In words, for a message.
    public var description: String {
        switch self {
        case .exited(let code): "exited with code \(code)"
        case .killed(let signal): "was killed by signal \(signal)"
        }
    }
}
