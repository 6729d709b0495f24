import Cryptography
import Glibc
import Platform
import Records

/// Where an app has the bytes of an asset that it adds.
enum AssetSource: Sendable {
    case file(String)
    case bytes([UInt8])

    /// What a call of `waymark-sync` stores at once.
    static let partBytes = 256 << 10

    /// The digest and the size of the bytes.
    func measure() throws(RecordError) -> (digest: [UInt8], size: Int64) {
        var hash = ContentHash()
        var size: Int64 = 0
        var reader = try AssetReader(self)
        while true {
            let part = try reader.read()
            guard !part.isEmpty else { return (hash.digest, size) }
            size += Int64(part.count)
            guard size <= Records.Asset.mostBytes else { throw Self.tooLarge }
            hash.update(part)
        }
    }

    private static var tooLarge: RecordError {
        RecordError(.limitExceeded, "A file of a record has at most \(Records.Asset.mostBytes >> 20) MiB.")
    }
}

/// Where the app has the bytes of an asset, if it has them. That makes no asset another one: all are equal.
struct AssetOrigin: Hashable, Sendable {
    let source: AssetSource?

    static func == (left: Self, right: Self) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}

/// Reads the bytes of an asset in parts.
struct AssetReader: ~Copyable {
    private let file: OwnedDescriptor?
    /// That of the file; nil for bytes.
    private let number: Int32?
    private let path: String
    private let bytes: [UInt8]
    private var offset = 0

    init(_ source: AssetSource) throws(RecordError) {
        switch source {
        case .bytes(let bytes):
            file = nil
            number = nil
            (path, self.bytes) = ("", bytes)
        case .file(let path):
            do throws(SystemError) {
                // A pipe or a device would not be read to an end, and is not opened to wait.
                let file = try OwnedDescriptor("open", subject: path) { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
                var status = stat()
                guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                    throw SystemError("open a regular file", code: EINVAL, subject: path)
                }
                number = file.number
                self.file = consume file
            } catch { throw Self.unreadable(path, error) }
            (self.path, bytes) = (path, [])
        }
    }

    /// Continues at an offset.
    mutating func skip(to offset: Int64) { self.offset = Int(offset) }

    /// The next part; empty at the end.
    mutating func read() throws(RecordError) -> [UInt8] {
        guard let number else {
            let part = Array(bytes.dropFirst(offset).prefix(AssetSource.partBytes))
            offset += part.count
            return part
        }
        var part = [UInt8](repeating: 0, count: AssetSource.partBytes)
        var count = 0
        while count < part.count {
            let read = part.withUnsafeMutableBytes { room in
                pread(number, room.baseAddress?.advanced(by: count), room.count - count, off_t(offset + count))
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw Self.unreadable(path, SystemError("read", subject: path)) }
            if read == 0 { break }
            count += read
        }
        offset += count
        return Array(part.prefix(count))
    }

    private static func unreadable(_ path: String, _ error: SystemError) -> RecordError {
        RecordError(.assetFileNotFound, "The file \(path) cannot be read: \(SystemError.text(error.code)).")
    }
}
