import CTest
import Glibc
import Platform

/// Connects to a Unix socket and passes data in both directions: a client whose user, program and control group a
/// test chooses, and whose messages come from the test.
@main
struct Main {
    static func main() throws {
        guard [2, 4].contains(CommandLine.arguments.count) else {
            print("usage: waymark-peer SOCKET [namespace|memory PROGRAM]")
            exit(2)
        }
        if CommandLine.arguments.count == 4 {
            pretend(to: CommandLine.arguments[3], sharesMemory: CommandLine.arguments[2] == "memory")
        }
        let socket = try UnixSocket.connect(path: CommandLine.arguments[1], timeout: .seconds(60))
        var entries = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0),
        ]
        let other = [socket.number, STDOUT_FILENO]
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while poll(&entries, 2, -1) > 0 || errno == EINTR {
            for index in 0..<2 where entries[index].revents != 0 {
                let count = read(entries[index].fd, &buffer, buffer.count)
                if count < 0, errno == EAGAIN || errno == EINTR { continue }
                guard count > 0 else { exit(0) }
                try writeAll(buffer[..<count], to: other[index])
            }
        }
    }

    /// Has /proc/PID/exe of this process name another program, as only a process in a user namespace of its own may
    /// have it: this one, or one that shares its memory with this one.
    private static func pretend(to program: String, sharesMemory: Bool) {
        // Without the permission there is no result: the test sees that the process ends.
        guard waymark_test_pretend(program, sharesMemory ? 1 : 0) == 0 else { exit(1) }
    }

    private static func writeAll(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                _ = try PollDeadline(seconds: 10).poll(descriptor, for: POLLOUT)
            } else if errno != EINTR {
                exit(1)
            }
        }
    }
}
