import CommandLineKit
import Glibc
import JSONText
import Location
import Platform
import Varlink

/// Positions from lines of `waymark watch --json`, in a file or on standard input.
final class PositionLines {
    private let name: String
    private let descriptor: OwnedDescriptor
    private let interruption: Interruption
    private var buffer: [UInt8] = []
    private var lineNumber = 0
    private var isAtEnd = false

    /// A position has a few hundred bytes: a line beyond this limit is no position.
    private static let longestLine = 64 << 10

    /// Opens a file; `-` is standard input.
    init(_ path: String, _ interruption: Interruption) throws(CommandFailure) {
        name = InputFile.name(path)
        self.interruption = interruption
        do throws(SystemError) { descriptor = try InputFile.open(path) } catch {
            throw .failed("Unreadable", "Could not \(error).")
        }
    }

    /// The next position; nil after the last one.
    func next() throws(CommandFailure) -> Position? {
        while let line = try nextLine() {
            lineNumber += 1
            if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { continue }
            guard let position = Self.position(line) else {
                throw .failed(
                    "NotAPosition",
                    "Line \(lineNumber) of \(name) is no position. The input must be the output of `waymark watch"
                        + " --json`.")
            }
            return position
        }
        return nil
    }

    private static func position(_ line: [UInt8]) -> Position? {
        do throws(JSONError) { return Position(try JSON.parse(line)) } catch { return nil }
    }

    private func nextLine() throws(CommandFailure) -> [UInt8]? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeSubrange(...end) }
                return Array(buffer[..<end])
            }
            if isAtEnd {
                defer { buffer = [] }
                return buffer.isEmpty ? nil : buffer
            }
            guard buffer.count < Self.longestLine else {
                throw .failed("NotAPosition", "Line \(lineNumber + 1) of \(name) is far too long for a position.")
            }
            try readMore()
        }
    }

    private func readMore() throws(CommandFailure) {
        var requests = [descriptor.number, interruption.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        _ = poll(&requests, nfds_t(requests.count), -1)
        if let code = interruption.received() { throw .ended(code) }
        guard requests[0].revents != 0 else { return }
        var chunk = [UInt8](repeating: 0, count: 32 << 10)
        let number = descriptor.number
        do throws(SystemError) {
            let count = try retrying("read", subject: name) { read(number, &chunk, chunk.count) }
            isAtEnd = count == 0
            buffer += chunk[..<count]
        } catch {
            throw CommandFailure(error)
        }
    }
}
