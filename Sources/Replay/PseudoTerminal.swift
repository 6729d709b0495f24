import CLinux
import Glibc
import Platform

/// A pseudo-terminal in place of a receiver's serial port: data written to it is read at its other end.
public struct PseudoTerminal: ~Copyable, Sendable {
    /// The path of the end that the reader opens.
    public let path: String
    private let master: OwnedDescriptor
    /// Open so that written data is buffered for a reader, and the path remains valid.
    private let slave: OwnedDescriptor

    /// Opens a raw pseudo-terminal, whose end in this process does not block, openpty(3).
    ///
    /// Its other end belongs to this process's user. If that is root, it belongs to gpsd's user, because gpsd drops its
    /// privileges before it reads. That user is a build option of gpsd: `gpsd` if it exists, otherwise `nobody`.
    public init() throws(ReplayError) {
        let opened = try Self.open()
        master = OwnedDescriptor(adopting: opened.master)
        slave = OwnedDescriptor(adopting: opened.slave)
        path = opened.path
    }

    private static let reader: uid_t = {
        for name in ["gpsd", "nobody"] {
            if let account = getpwnam(name) { return account.pointee.pw_uid }
        }
        return 65_534
    }()

    private static func open() throws(ReplayError) -> (master: Int32, slave: Int32, path: String) {
        var (master, slave): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        guard waymark_open_pty(&master, &slave, &name, name.count) == 0 else {
            throw .system(SystemError("open a pseudo-terminal"))
        }
        let path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard fchmod(slave, 0o600) == 0, geteuid() != 0 || fchown(slave, reader, gid_t.max) == 0 else {
            let error = SystemError("make accessible", subject: path)
            _ = close(master)
            _ = close(slave)
            throw .system(error)
        }
        return (master, slave, path)
    }

    /// This process's end, to be polled for writability.
    public var descriptor: Int32 { master.number }

    /// Writes as many bytes as there is room for and returns their number, 0 if the reader is behind.
    public borrowing func write(_ bytes: ArraySlice<UInt8>) throws(ReplayError) -> Int {
        guard !bytes.isEmpty else { return 0 }
        discardInput()
        do {
            return try retrying("write to", subject: path) {
                bytes.withUnsafeBytes { Glibc.write(master.number, $0.baseAddress, $0.count) }
            }
        } catch  where error.code == EAGAIN {
            return 0
        } catch {
            throw .system(error)
        }
    }

    /// The number of bytes that were written and not read yet.
    public borrowing func unreadBytes() throws(ReplayError) -> Int {
        let count = waymark_bytes_waiting(slave.number)
        guard count >= 0 else { throw .system(SystemError("look into", subject: path)) }
        return Int(count)
    }

    /// Discards what the reader sent to the receiver, because a recording does not answer.
    private borrowing func discardInput() {
        var buffer = [UInt8](repeating: 0, count: 1_024)
        while read(master.number, &buffer, buffer.count) == buffer.count {}
    }
}
