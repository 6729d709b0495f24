import Glibc
import Platform

/// The storage of the device key: a file of the state directory that only the daemon's user may read.
///
/// The file consists of an 8-byte signature, the key, and 16 bytes of BLAKE2b over both, which detect a damaged key: it
/// would silently move all positions of reduced accuracy.
public struct DeviceKeyFile: Sendable {
    /// A remark about the key for people.
    public enum Remark: Equatable, Sendable {
        /// There was no key, and one was created.
        case made
        /// The file was damaged: it was renamed to this name, and a key was created.
        case damaged(setAside: String)
        /// Other users could read the file. They no longer can, but may have done so.
        case wasOpenToOthers

        /// A sentence for the log.
        public var text: String {
            switch self {
            case .made: "made a device key for reduced accuracy"
            case .damaged(let name):
                "the device key was damaged: saved it as \(name) and made a new one, which moves all reduced positions"
            case .wasOpenToOthers:
                "the device key could be read by others; it no longer can. `waymark reduced rotate` makes a new one"
            }
        }
    }

    /// The file's name in the state directory.
    public static let name = "device.key"
    private static let signature = Array("WMKEY 1\n".utf8)
    private static let size = signature.count + DeviceKey.size + Checksum.size

    private let directory: String
    private var path: String { "\(directory)/\(Self.name)" }

    /// The key file of a state directory, which exists and is locked by this process.
    public init(stateDirectory: String) {
        directory = stateDirectory
    }

    /// The key, created if there is no valid one, and remarks about that.
    public func load() throws(DeviceKeyError) -> (key: DeviceKey, remarks: [Remark]) {
        let contents: (bytes: [UInt8], wasOpenToOthers: Bool)?
        do throws(SystemError) { contents = try read() } catch { throw .system(error) }
        guard let contents else { return (try rotate(), [.made]) }
        let remarks: [Remark] = contents.wasOpenToOthers ? [.wasOpenToOthers] : []
        if let key = Self.key(in: contents.bytes) { return (key, remarks) }
        let name: String
        do throws(SystemError) {
            name = try SetAside.rename(Self.name, in: directory, noun: "the damaged device key")
        } catch { throw .system(error) }
        return (try rotate(), [.damaged(setAside: name)])
    }

    /// Replaces the current key with a new one and erases the old one. Durable when this returns.
    @discardableResult
    public func rotate() throws(DeviceKeyError) -> DeviceKey {
        let key = try DeviceKey()
        do throws(SystemError) { try write(key) } catch { throw .system(error) }
        return key
    }

    /// The contents of the file; nil if there is none.
    private func read() throws(SystemError) -> (bytes: [UInt8], wasOpenToOthers: Bool)? {
        // O_NONBLOCK: a FIFO in place of the file must not block the start.
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if number < 0 {
            if errno == ENOENT { return nil }
            throw SystemError("read the device key", subject: path)
        }
        let file = OwnedDescriptor(adopting: number)
        var status = stat()
        try retrying("examine the device key", subject: path) { fstat(file.number, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SystemError("read the device key, which is no regular file,", code: EINVAL, subject: path)
        }
        let wasOpenToOthers = status.st_mode & 0o077 != 0
        if wasOpenToOthers {
            try retrying("close the device key to others", subject: path) { fchmod(file.number, 0o600) }
        }
        // One byte more than a valid file, to detect a longer one.
        var bytes = [UInt8](repeating: 0, count: Self.size + 1)
        var count = 0
        while count < bytes.count {
            let got = try retrying("read the device key", subject: path) {
                bytes[count...].withUnsafeMutableBytes { Glibc.read(file.number, $0.baseAddress, $0.count) }
            }
            if got == 0 { break }
            count += got
        }
        return (Array(bytes.prefix(count)), wasOpenToOthers)
    }

    private func write(_ key: DeviceKey) throws(SystemError) {
        let contents = Checksum.appended(to: Self.signature + key.bytes)
        try DurableFile.replace(Self.name, in: directory, with: contents, noun: "the device key")
    }

    private static func key(in contents: [UInt8]) -> DeviceKey? {
        guard contents.count == size, contents.starts(with: signature) else { return nil }
        return Checksum.removed(from: contents).flatMap { DeviceKey(bytes: Array($0.dropFirst(signature.count))) }
    }
}
