import Cryptography
import Glibc
import JSONText
import Platform
import Records
import SyncInterface

extension Database {
    /// The bytes of an asset that a record has, as the copy on this machine or the hub has them. What is not on this machine is downloaded
    /// first, all of it; an interrupted download goes on where it was. The bytes have the digest of the asset.
    ///
    /// - Parameters:
    ///   - asset: The asset, as it was read from the record.
    ///   - recordID: The record.
    /// - Throws: `networkUnavailable` if the bytes have to be downloaded and the hub cannot be reached, and `assetFileNotFound` if the
    ///   record does not have the asset any more.
    public func bytes(of asset: Record.Asset, in recordID: Record.ID) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(clamping: asset.size))
        try await forEachPart(of: asset, in: recordID) { bytes += $0 }
        return bytes
    }

    /// Writes the bytes of an asset that a record has to a file: what the `fileURL` of a `CKAsset` is after a fetch in CloudKit, at a place
    /// that the app chooses. The file is there with all of its bytes or not at all, and replaces one of the same path.
    ///
    /// - Parameters:
    ///   - asset: The asset, as it was read from the record.
    ///   - recordID: The record.
    ///   - path: The path of the file, in a folder that exists.
    /// - Throws: As `bytes(of:in:)`, and `notStored` if the file cannot be written.
    public func write(_ asset: Record.Asset, in recordID: Record.ID, to path: String) async throws {
        let file = try AssetFile(replacing: path)
        try await forEachPart(of: asset, in: recordID) { part in try file.append(part) }
        try file.finish()
    }

    private func forEachPart(
        of asset: Record.Asset, in recordID: Record.ID, _ body: ([UInt8]) throws -> Void
    ) async throws {
        try require(recordID.zoneID)
        var offset: Int64 = 0
        var hash = ContentHash()
        repeat {
            let reply = try await part(of: asset, in: recordID, from: offset)
            guard let part = Base64.bytes(Array(reply.bytes.utf8)), reply.size == asset.size,
                !part.isEmpty || offset == asset.size
            else { throw Self.otherBytes }
            hash.update(part)
            offset += Int64(part.count)
            // Whoever gets the last part has all bytes: of the public database nobody before has compared them.
            guard offset < asset.size || hash.digest == asset.digest else { throw Self.otherBytes }
            try body(part)
        } while offset < asset.size
    }

    private func part(
        of asset: Record.Asset, in recordID: Record.ID, from offset: Int64
    ) async throws -> (bytes: String, size: Int64) {
        let digest = HexText.text(asset.digest)
        guard databaseScope != .public else {
            let reply = try await client.call(
                SyncInterface.ReadPublicAsset(
                    container: client.container, environment: client.environment, name: recordID.recordName,
                    digest: digest, offset: offset))
            return (reply.bytes, reply.size)
        }
        let zone = recordID.zoneID
        let reply = try await client.call(
            SyncInterface.ReadAsset(
                container: client.container, environment: client.environment, owner: zone.owner, zone: zone.zoneName,
                name: recordID.recordName, digest: digest, offset: offset))
        return (reply.bytes, reply.size)
    }

    private static var otherBytes: RecordError {
        RecordError(.incompatibleVersion, "waymark-sync has sent other bytes than those of the asset.")
    }

    /// Adds the bytes of the assets of fields that the app has set to the copy, or to the public database at the hub.
    func addAssets(of record: Record, _ keys: some Sequence<String>, in zone: RecordZone.ID) async throws {
        for key in keys {
            for asset in record.values[key]?.addedAssets ?? [] { try await add(asset, in: zone) }
        }
    }

    private func add(_ asset: Record.Asset, in zone: RecordZone.ID) async throws {
        guard let source = asset.source else { return }
        // An empty part finds out what the copy has.
        var progress = try await add([], of: asset, from: 0, in: zone)
        guard !progress.complete else { return }
        var reader = try AssetReader(source)
        while !progress.complete {
            reader.skip(to: progress.stored)
            let part = try reader.read()
            guard !part.isEmpty else { throw Self.changed }
            let before = progress.stored
            do { progress = try await add(part, of: asset, from: before, in: zone) } catch let error as RecordError
                where error.code == .invalidArguments
            { throw Self.changed }
        }
    }

    private func add(
        _ part: [UInt8], of asset: Record.Asset, from offset: Int64, in zone: RecordZone.ID
    ) async throws -> (stored: Int64, complete: Bool) {
        let (digest, bytes) = (HexText.text(asset.digest), Base64.text(part))
        guard databaseScope != .public else {
            let reply = try await client.call(
                SyncInterface.AddPublicAsset(
                    container: client.container, environment: client.environment, digest: digest, size: asset.size,
                    offset: offset, bytes: bytes))
            return (reply.stored, reply.complete)
        }
        let reply = try await client.call(
            SyncInterface.AddAsset(
                container: client.container, environment: client.environment, owner: zone.owner, zone: zone.zoneName,
                digest: digest, size: asset.size, offset: offset, bytes: bytes))
        return (reply.stored, reply.complete)
    }

    private static var changed: RecordError {
        RecordError(
            .assetFileNotFound,
            "The file of an asset was changed since the asset was made. Make the asset again, and save.")
    }
}

/// A file that is written beside the one that it replaces at the end.
private final class AssetFile {
    private let path: String
    private let temporary: String
    private let file: OwnedDescriptor
    private var isFinished = false

    init(replacing path: String) throws(RecordError) {
        self.path = path
        let temporary = "\(path).\(HexText.text((0..<8).map { _ in UInt8.random(in: 0...255) }))"
        self.temporary = temporary
        do throws(SystemError) {
            file = try OwnedDescriptor("make a file", subject: path) {
                open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            }
        } catch { throw Self.unwritable(path, error.code) }
    }

    func append(_ bytes: [UInt8]) throws(RecordError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { room in
                Glibc.write(file.number, room.baseAddress?.advanced(by: written), room.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.unwritable(path, errno) }
            written += count
        }
    }

    /// Makes the bytes durable, and the file the one of the path.
    func finish() throws(RecordError) {
        guard fsync(file.number) == 0, rename(temporary, path) == 0 else {
            throw Self.unwritable(path, errno)
        }
        isFinished = true
    }

    private static func unwritable(_ path: String, _ code: Int32) -> RecordError {
        RecordError(.notStored, "The file \(path) cannot be written: \(SystemError.text(code)).")
    }

    deinit { if !isFinished { unlink(temporary) } }
}
