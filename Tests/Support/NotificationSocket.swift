import CLinux
import Glibc
import Platform

/// The socket that `$NOTIFY_SOCKET` names, sd_notify(3): a datagram for each notification.
public final class NotificationSocket {
    private let descriptor: OwnedDescriptor

    /// Listens at this path, which is not to be there yet.
    public init(_ path: String) throws(SystemError) {
        descriptor = try BoundSocket.make(SOCK_DGRAM, at: path)
    }

    /// Reads the pending notifications.
    public func discardWaiting() throws(SystemError) {
        while try next(seconds: 0, where: { _ in true }) != nil {}
    }

    /// The descriptors that have come with `FDSTORE=1`, one a message, and the name of each. The caller closes them.
    public func takeStored() -> [(number: Int32, name: String)] {
        var stored: [(number: Int32, name: String)] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        var descriptor: Int32 = -1
        while true {
            let count = waymark_receive_message(self.descriptor.number, &buffer, buffer.count, &descriptor)
            guard count > 0 else { return stored }
            let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
            let name = lines.first { $0.hasPrefix("FDNAME=") }?.dropFirst(7) ?? ""
            if descriptor >= 0 { stored.append((descriptor, String(name))) }
        }
    }

    /// The next notification that matches, ignoring others; nil where none arrives within `seconds`.
    public func next(seconds: Double = 60, where isWanted: (String) -> Bool) throws(SystemError) -> String? {
        let deadline = PollDeadline(seconds: seconds)
        while try deadline.poll(descriptor.number, for: POLLIN) {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = recv(descriptor.number, &buffer, buffer.count, 0)
            guard count >= 0 else { continue }
            let text = String(decoding: buffer[..<count], as: UTF8.self)
            if isWanted(text) { return text }
        }
        return nil
    }
}
