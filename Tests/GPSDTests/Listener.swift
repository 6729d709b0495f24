import Glibc
import Platform

/// A server on the loop that sends what a test gives it.
@DaemonActor
final class Listener {
    let port: UInt16
    private(set) var heard: [UInt8] = []
    private(set) var connections = 0
    private(set) var hasEnded = false

    private let greeting: String
    private let descriptor: OwnedDescriptor
    private var source: IOSource?
    private var peer: OwnedDescriptor?
    private var peerNumber: Int32?
    private var peerSource: IOSource?
    private var onChange: () -> Void = {}

    /// Listens on a free port of 127.0.0.1, or on a Unix socket, and sends the greeting to whoever connects.
    init(greeting: String, path: String? = nil) throws {
        self.greeting = greeting
        if let path {
            descriptor = try UnixSocket.listen(path: path, mode: 0o600)
            port = 0
        } else {
            let listening = try OwnedDescriptor("socket") {
                socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
            }
            port = try freePort(listening.number)
            try retrying("listen") { listen(listening.number, 16) }
            descriptor = listening
        }
        source = try IOSource(descriptor.number, .readable) { [weak self] _ in self?.accept() }
    }

    // Before the descriptors are closed, and on the loop's thread.
    isolated deinit {
        source?.cancel()
        peerSource?.cancel()
    }

    func send(_ text: String) {
        guard let peer = peerNumber else { return }
        let bytes = Array(text.utf8)
        _ = Glibc.send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    func hangUp() {
        peerSource?.cancel()
        peerSource = nil
        peerNumber = nil
        peer = nil
    }

    /// Waits until the condition holds after a change, at most two minutes.
    func wait(until condition: @escaping () -> Bool) async throws {
        struct DeadlinePassed: Error {}
        var timer: TimerSource?
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            var waiting: CheckedContinuation<Void, any Error>? = continuation
            let finish: (Result<Void, any Error>) -> Void = { result in
                waiting?.resume(with: result)
                waiting = nil
            }
            do throws(SystemError) {
                timer = try TimerSource(accuracy: .milliseconds(1)) { finish(.failure(DeadlinePassed())) }
                timer?.arm(after: .seconds(120))
            } catch {
                finish(.failure(error))
            }
            // Looked at here, where nothing can happen in between.
            onChange = { if condition() { finish(.success(())) } }
            onChange()
        }
        timer?.cancel()
        onChange = {}
    }

    private func accept() {
        do {
            guard let accepted = try UnixSocket.accept(descriptor.number) else { return }
            peerSource = try IOSource(accepted.number, .readable) { [weak self] _ in self?.read() }
            peerNumber = accepted.number
            peer = consume accepted
            connections += 1
            hasEnded = false
            send(greeting)
        } catch {
            hangUp()
        }
        onChange()
    }

    private func read() {
        guard let peer = peerNumber else { return }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(peer, &buffer, buffer.count, 0)
        if count > 0 {
            heard.append(contentsOf: buffer.prefix(count))
        } else {
            hasEnded = true
            hangUp()
        }
        onChange()
    }
}

/// Binds a socket of IPv4 to a free port of 127.0.0.1.
func freePort(_ descriptor: Int32) throws(SystemError) -> UInt16 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
            bind(descriptor, pointer, length) == 0 ? getsockname(descriptor, pointer, &length) : -1
        }
    }
    if status != 0 { throw SystemError("bind") }
    return UInt16(bigEndian: address.sin_port)
}
