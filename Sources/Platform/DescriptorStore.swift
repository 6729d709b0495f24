import CLinux
import Glibc

/// The service manager's store of descriptors: what lies in it outlives this process, and is handed over to the next one
/// with the listening sockets. `FDSTORE=1` of sd_notify(3).
///
/// It waits for the service manager up to a deadline: it is for a process that starts or ends.
public struct DescriptorStore: ~Copyable, Sendable {
    private let socket: OwnedDescriptor
    /// How many descriptors the service manager accepts, where it reports that: `$FDSTORE` of systemd 254 and later.
    public let capacity: Int?

    /// The store of the service manager that started this process; nil where none did.
    public init?() throws(SystemError) {
        guard let path = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), !path.isEmpty else { return nil }
        try self.init(path: path, capacity: getenv("FDSTORE").flatMap { Int(String(cString: $0)) })
    }

    /// The store of the service manager that hears at this path and takes so many descriptors.
    public init(path: String, capacity: Int?) throws(SystemError) {
        self.capacity = capacity
        socket = try UnixSocket.connectAtOnce(path: path, .datagrams)
    }

    /// Puts one descriptor or two into the store under a name; false where the service manager had no time until the deadline.
    ///
    /// A socket whose other end is gone leaves the store by itself, with what is still to be read from it; where `isPolled`
    /// is false it stays, FDPOLL=0.
    public borrowing func add(
        _ descriptors: [Int32], name: String, isPolled: Bool = true, until deadline: PollDeadline
    ) throws(SystemError) -> Bool {
        try send("FDSTORE=1\nFDNAME=\(name)" + (isPolled ? "" : "\nFDPOLL=0"), descriptors, until: deadline)
    }

    /// Takes what has that name out of the store; false where the service manager had no time until the deadline.
    public borrowing func remove(_ name: String, until deadline: PollDeadline) throws(SystemError) -> Bool {
        try send("FDSTOREREMOVE=1\nFDNAME=\(name)", [], until: deadline)
    }

    private borrowing func send(
        _ text: String, _ descriptors: [Int32], until deadline: PollDeadline
    ) throws(SystemError) -> Bool {
        while true {
            if try send(text, descriptors) { return true }
            guard try deadline.poll(socket.number, for: POLLOUT) else { return false }
        }
    }

    private borrowing func send(_ text: String, _ descriptors: [Int32]) throws(SystemError) -> Bool {
        let bytes = Array(text.utf8)
        let number = socket.number
        do throws(SystemError) {
            try retrying("notify the service manager") {
                Int32(
                    waymark_send_message(
                        number, bytes, bytes.count, descriptors, descriptors.count, Int32(MSG_DONTWAIT)))
            }
            return true
        } catch {
            switch error.code {
            // The last: as many descriptors are on their way already as may be.
            case EAGAIN, ENOBUFS, ENOMEM, ETOOMANYREFS: return false
            default: throw error
            }
        }
    }
}
