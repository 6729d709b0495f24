import CLinux
import Glibc
import Platform

/// A terminal with a program in it, and the hands and eyes of a person in front of it.
public final class TypedTerminal {
    /// The program could not be started.
    public struct NotStarted: Error {}

    private let master: OwnedDescriptor
    /// Held open so that the terminal's settings can be checked after the program has ended.
    private let slave: OwnedDescriptor
    private let process: ChildProcess
    private var screen = ""
    private let before: termios

    /// Starts a program with the terminal as its controlling one, as a shell would, with line editing.
    public init(_ program: String, _ arguments: [String], environment: [String: String], term: String = "xterm") throws
    {
        var (near, far): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        guard waymark_open_pty(&near, &far, &name, name.count) == 0 else { throw NotStarted() }
        master = OwnedDescriptor(adopting: near)
        slave = OwnedDescriptor(adopting: far)
        var mode = termios()
        _ = tcgetattr(far, &mode)
        mode.c_lflag |= tcflag_t(ICANON | ECHO | ECHOE | ISIG)
        mode.c_iflag |= tcflag_t(ICRNL)
        mode.c_oflag |= tcflag_t(OPOST | ONLCR)
        _ = tcsetattr(far, TCSANOW, &mode)
        before = mode
        process = try ChildProcess(
            ChildProcess.Launch(
                "/usr/bin/setsid", ["--ctty", program] + arguments,
                environment: environment.merging(["TERM": term]) { $1 }, input: .descriptor(far),
                output: .descriptor(far), error: .descriptor(far), ownsGroup: false))
    }

    deinit {
        // The program leads a session of its own, which ends with the terminal; this ends a program that ignores that.
        process.signal(SIGKILL)
        _ = try? process.wait(seconds: 5)
    }

    /// Types.
    public func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(master.number, bytes, bytes.count)
    }

    /// Everything that has stood on the screen so far.
    public var text: String {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(master.number, &buffer, buffer.count)
            guard count > 0 else { return screen }
            screen += String(decoding: buffer[..<count], as: UTF8.self)
        }
    }

    /// Whether a text appears this number of times.
    public func shows(_ expected: String, times: Int = 1) -> Bool {
        eventually { text.ranges(of: expected).count >= times }
    }

    /// The exit status of the program.
    public func end() throws -> ExitStatus? {
        let deadline = PollDeadline(seconds: 60)
        while !deadline.hasPassed {
            // A program whose output nobody reads would not end.
            _ = text
            if let status = try process.wait(seconds: 0.05) { return status }
        }
        return nil
    }

    /// Whether the terminal is as the program has found it.
    public var isAsBefore: Bool {
        var now = termios()
        guard tcgetattr(slave.number, &now) == 0 else { return false }
        return now.c_lflag == before.c_lflag && now.c_iflag == before.c_iflag && now.c_oflag == before.c_oflag
    }
}
