import Glibc
import Platform

/// Connects to a Unix socket and hands on what it reads to it, and back: a client whose user, program and control group a
/// test chooses, and whose words are the test's.
@main
struct Main {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: waymark-peer SOCKET")
            exit(2)
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
