import Glibc
import Platform
import TestSupport

/// A relay between an uploader and the daemon, which passes on the messages of both, and records their times.
final class DaemonRelay: Sendable {
    /// Where the uploader connects.
    let path: String
    /// The uploader's reports that it waits for a path.
    let pauses = Arrivals()
    /// The daemon's reports that the path is lost, and that it is available again.
    let losses = Arrivals()
    let gains = Arrivals()
    private let daemonPath: String
    private let listener: OwnedDescriptor

    init(to daemonPath: String, at path: String) throws {
        self.daemonPath = daemonPath
        self.path = path
        listener = try UnixSocket.listen(path: path, mode: 0o600)
        try DetachedThread.start(name: "relay") { [self] in accept() }
    }

    private func accept() {
        while true {
            var entry = pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, -1) > 0 else { continue }
            let near = Glibc.accept(listener.number, nil, nil)
            guard near >= 0 else { continue }
            do {
                let far = try UnixSocket.connect(path: daemonPath).release()
                try DetachedThread.start(name: "relay-up") { [self] in
                    pass(from: near, to: far) { bytes, now in
                        if Self.has(bytes, "Uploads.Report"), Self.has(bytes, #""state":"waitingForPath""#) {
                            pauses.add([], at: now)
                        }
                    }
                }
                try DetachedThread.start(name: "relay-down") { [self] in
                    pass(from: far, to: near) { bytes, now in
                        if Self.has(bytes, #""status":"unreachable""#) { losses.add([], at: now) }
                        if Self.has(bytes, #""status":"reachable""#) { gains.add([], at: now) }
                    }
                }
            } catch {
                close(near)
            }
        }
    }

    private func pass(from: Int32, to: Int32, _ note: ([UInt8], UInt64) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            var entry = pollfd(fd: from, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, -1) > 0 else { continue }
            let now = SystemClock().monotonicNanoseconds
            let count = read(from, &buffer, buffer.count)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            if count <= 0 { break }
            var sent = 0
            while sent < count {
                let written = buffer[sent..<count].withUnsafeBytes {
                    send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if written > 0 { sent += written } else if errno != EAGAIN, errno != EINTR { break }
            }
            note(Array(buffer[..<count]), now)
        }
        // Both directions end with one; the numbers stay in use until the benchmark ends.
        shutdown(to, Int32(SHUT_RDWR))
    }

    private static func has(_ bytes: [UInt8], _ text: String) -> Bool {
        String(decoding: bytes, as: UTF8.self).contains(text)
    }
}
