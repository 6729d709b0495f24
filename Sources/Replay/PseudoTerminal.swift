import CLinux
import Glibc
import Platform

/// A pseudo-terminal that stands in for a receiver's serial port: what is written here is read there.
public struct PseudoTerminal: ~Copyable, Sendable {
    /// The path of the end that the receiver's reader opens.
    public let path: String
    private let master: OwnedDescriptor
    /// Held open so that what was written waits for a reader, and the path stays.
    private let slave: OwnedDescriptor

    /// Opens one, raw, with a near end that does not block, openpty(3).
    ///
    /// Its far end is for the user of this process, or for gpsd's where this is root's: gpsd drops its privileges before it
    /// reads. Which user that is, is decided when gpsd is built: `gpsd` where there is one, otherwise `nobody`.
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

    /// The near end: wait for it to be writable with poll(2).
    public var descriptor: Int32 { master.number }

    /// Writes as much as there is room for and returns how much that was, 0 when the reader lags.
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

    /// Bytes that were written and not read yet.
    public borrowing func unreadBytes() throws(ReplayError) -> Int {
        let count = waymark_bytes_waiting(slave.number)
        guard count >= 0 else { throw .system(SystemError("look into", subject: path)) }
        return Int(count)
    }

    /// Forgets what the reader wrote to the receiver: a recording does not answer.
    private borrowing func discardInput() {
        var buffer = [UInt8](repeating: 0, count: 1_024)
        while read(master.number, &buffer, buffer.count) == buffer.count {}
    }
}
