import Glibc
import Platform
import Records
import Storage

/// The bytes of assets, each in a file of the folder `assets` beside the database, named by its digest and the number of its
/// row. The rows alone say what there is: a file without a row is of no use to anybody, and bytes of a file after those that
/// its row counts are replaced by the next ones.
struct AssetFolder {
    let path: String

    init(in folder: String) { path = "\(folder)/assets" }

    private func file(_ row: AssetRow) -> String {
        let digits: [UInt8] = Array("0123456789abcdef".utf8)
        let digest = row.asset.digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return "\(path)/\(String(decoding: digest, as: UTF8.self))-\(row.number)"
    }

    /// Writes bytes after those that the row counts, and synchronizes them.
    func write(_ bytes: [UInt8], of row: AssetRow) throws(StorageError) {
        let name = file(row)
        do throws(SystemError) {
            if row.received == 0 { try make() }
            let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (row.received == 0 ? O_TRUNC : 0)
            let file = try OwnedDescriptor(Self.operation, subject: name) { open(name, flags, 0o600) }
            var written = 0
            while written < bytes.count {
                let offset = row.received + Int64(written)
                written += try retrying(Self.operation, subject: name) {
                    bytes[written...].withUnsafeBytes { pwrite(file.number, $0.baseAddress, $0.count, off_t(offset)) }
                }
            }
            try retrying(Self.operation, subject: name) { fdatasync(file.number) }
            if row.received == 0 { try DurableFile.synchronize(directory: path) }
        } catch {
            throw StorageError(error)
        }
    }

    private func make() throws(SystemError) {
        if mkdir(path, 0o700) == 0 { return try DurableFile.synchronize(directory: "\(path)/..") }
        guard errno == EEXIST else { throw SystemError("make the folder of assets", subject: path) }
    }

    /// Bytes from an offset on, at most so many.
    func read(_ row: AssetRow, from offset: Int64, most: Int) throws(StorageError) -> [UInt8] {
        let name = file(row)
        let count = min(most, Int(row.asset.size - offset))
        do throws(SystemError) {
            let file = try OwnedDescriptor("read an asset", subject: name) {
                open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            }
            var read = 0
            let bytes = try [UInt8](unsafeUninitializedCapacity: count) { room, size throws(SystemError) in
                while read < count {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[read...])
                    let more = try retrying("read an asset", subject: name) {
                        pread(file.number, rest.baseAddress, rest.count, off_t(offset) + off_t(read))
                    }
                    guard more > 0 else { break }
                    read += more
                }
                size = read
            }
            guard read == count else {
                throw SystemError("read an asset: the file is too short", code: EIO, subject: name)
            }
            return bytes
        } catch {
            throw StorageError(error)
        }
    }

    /// Removes the bytes, if they are there.
    func remove(_ row: AssetRow) throws(StorageError) {
        let name = file(row)
        guard unlink(name) != 0, errno != ENOENT else { return }
        throw StorageError(SystemError("remove an asset", subject: name))
    }

    /// Makes removals durable.
    func synchronize() throws(StorageError) {
        do throws(SystemError) { try DurableFile.synchronize(directory: path) } catch { throw StorageError(error) }
    }

    private static let operation = "store an asset"
}
