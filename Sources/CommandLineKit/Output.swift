import CLinux
import Glibc
import Platform

/// The reason why no more can be written.
public enum OutputError: Error, Equatable, CustomStringConvertible {
    /// The reader has closed the pipe, as `head` does: a reason to end, but no error to report.
    case closed
    /// A system call failed, for example because the disk is full.
    case failed(SystemError)

    /// The reason in words.
    public var description: String {
        switch self {
        case .closed: "nobody reads the output any more"
        case .failed(let error): error.description
        }
    }
}

/// A buffer of whole lines for a descriptor.
///
/// Only whole lines are written, and every write continues until all of it is out. A signal is noticed only between
/// writes, so that it never leaves half a line behind.
public final class Output {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private let flushesEachLine: Bool
    private let encoding: TextEncoding

    /// More than this is written without waiting for `flush`.
    private static let mostBuffered = 64 << 10

    /// Lines to this descriptor, which stays the caller's: each at once, or when `flush` is called. Text is for people,
    /// and written in these characters; bytes are written unchanged.
    public init(
        descriptor: Int32 = STDOUT_FILENO, flushesEachLine: Bool = false, encoding: TextEncoding = .ofThisProcess
    ) {
        self.encoding = encoding
        self.descriptor = descriptor
        self.flushesEachLine = flushesEachLine
    }

    /// Adds a line and its end.
    public func line(_ text: String = "") throws(OutputError) {
        try line(Array(encoding.shown(text).utf8))
    }

    /// Adds a line of bytes and its end.
    public func line(_ bytes: [UInt8]) throws(OutputError) {
        buffer += bytes
        buffer.append(UInt8(ascii: "\n"))
        if flushesEachLine || buffer.count > Self.mostBuffered { try flush() }
    }

    /// Adds several lines.
    public func lines(_ texts: [String]) throws(OutputError) {
        for text in texts { try line(text) }
    }

    /// Adds text unchanged: lines with their ends, or control sequences of a terminal.
    public func text(_ text: String) {
        buffer += encoding.shown(text).utf8
    }

    /// Adds bytes unchanged, of a format for programs.
    public func bytes(_ bytes: some Sequence<UInt8>) {
        buffer += bytes
    }

    /// Writes the buffered lines, write(2).
    public func flush() throws(OutputError) {
        defer { buffer.removeAll(keepingCapacity: true) }
        var position = 0
        while position < buffer.count {
            let count = buffer[position...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                position += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                // Another process that shares the descriptor has made it non-blocking.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, -1)
            case EPIPE: throw .closed
            case let code: throw .failed(SystemError("write", code: code))
            }
        }
    }

    /// Opens /dev/null in place of standard descriptors that are closed: otherwise the next socket would get such a
    /// number, and results would be written into it.
    static func openStandardDescriptors() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
            // The lowest free number is this one.
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Makes a write to a closed pipe an error instead of the end of the process, signal(7).
    public static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }
}
