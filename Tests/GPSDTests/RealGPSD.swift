import Glibc
import Platform
import TestSupport

/// A gpsd of the test's own, fed by datagrams on loopback; it ends with the value.
final class RealGPSD {
    /// Its port of TCP, for the whole life of what holds it.
    var port: UInt16 { held.number }
    let held: LoopbackPort
    let inputPort: ReceiverPort
    private let process: pid_t
    private let input: OwnedDescriptor

    var device: String { "udp://127.0.0.1:\(inputPort.number)" }

    /// Starts gpsd, on ports of its own unless ports are given.
    init(port: LoopbackPort? = nil, inputPort: ReceiverPort? = nil) throws {
        held = try port ?? LoopbackPort()
        let chosenInput = try inputPort ?? ReceiverPort()
        input = try OwnedDescriptor("socket") { socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }
        process = try Self.spawn([
            "/usr/sbin/gpsd", "-N", "-n", "-S", String(held.number), "udp://127.0.0.1:\(chosenInput.number)",
        ])
        self.inputPort = chosenInput
    }

    deinit {
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1 && errno == EINTR {}
    }

    /// Gives gpsd a sentence as a receiver would.
    func feed(_ sentence: String) {
        let bytes = Array((sentence + "\r\n").utf8)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = inputPort.number.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(input.number, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func spawn(_ arguments: [String]) throws(SystemError) -> pid_t {
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in 0...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var process = pid_t()
        let code = posix_spawn(&process, arguments[0], &actions, nil, &pointers, environ)
        if code != 0 { throw SystemError("start", code: code, subject: arguments[0]) }
        return process
    }
}
