import JSONText
import Platform
import Records
import Storage
import SyncInterface
import Varlink

/// The bytes of assets, which programs add before they save a record, and read through a record.
extension SyncService {
    func addAsset(_ call: MethodCall<SyncInterface.AddAsset>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        let zone = try zone(parameters.owner, parameters.zone, in: container)
        let own = try account.id.account
        let asset = try Self.asset(parameters.digest, parameters.size)
        try Self.requireOffset(parameters.offset)
        let bytes = try Self.part(parameters.bytes)
        let (now, limits) = (carrier.now, carrier.assets.limits)
        let result = try write { (tables) throws(StorageError) in
            guard let row = try tables.present(zone, in: try tables.open(container), of: own) else {
                return Result<AssetRow, CacheTables.AssetRefusal>.failure(.zoneNotFound)
            }
            return try tables.add(asset, from: parameters.offset, bytes, in: row, at: now, limits)
        }
        noteUse(of: container)
        switch result {
        case .success(let row): call.reply(.init(stored: row.stored, complete: row.isComplete))
        case .failure(let refusal): throw Self.failure(refusal, zone)
        }
    }

    /// The asset that a program adds.
    static func asset(_ digest: String, _ size: Int64) throws(Failure) -> Asset {
        guard let asset = Asset(digest: try Self.digest(digest), size: size) else {
            guard size >= 0 else {
                throw .invalidArgument(argument: "size", message: "It is the number of bytes of the file.")
            }
            throw .limitExceeded(
                limit: Limits.Subject.assetBytes.rawValue, most: Asset.mostBytes,
                message: "An asset has at most \(Asset.mostBytes) bytes.")
        }
        return asset
    }

    /// The bytes of a part that a program adds.
    static func part(_ text: String) throws(Failure) -> [UInt8] {
        let most = AssetLimits.partBytes
        guard text.utf8.count <= (most + 2) / 3 * 4, let bytes = Base64.bytes(Array(text.utf8)), bytes.count <= most
        else {
            throw .invalidArgument(argument: "bytes", message: "They are at most \(most) bytes in base64 with padding.")
        }
        return bytes
    }

    /// The bytes of an asset are others than those of its digest.
    static var digestDiffers: Failure {
        .invalidArgument(
            argument: "digest",
            message: "The bytes have another SHA-256 digest. Add the asset again from its beginning.")
    }

    private static func failure(_ refusal: CacheTables.AssetRefusal, _ zone: ZoneID) -> Failure {
        switch refusal {
        case .zoneNotFound: .zoneNotFound(message: "There is no zone \(zone.name) here. Make it with ModifyZones.")
        case .tooManyUnsent(let most):
            .limitExceeded(
                limit: Limits.Subject.uploadBytes.rawValue, most: most,
                message:
                    "At most \(most) bytes of assets of a container can wait to be sent. Try again when the hub has some"
                    + " of them.")
        case .sizeDiffers(let size):
            .invalidArgument(argument: "size", message: "The asset with this digest has \(size) bytes.")
        case .tooLong: .invalidArgument(argument: "bytes", message: "They end after the end of the asset.")
        case .digestDiffers: digestDiffers
        }
    }

    func readAsset(_ call: MethodCall<SyncInterface.ReadAsset>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        let zone = try zone(parameters.owner, parameters.zone, in: container)
        let digest = try Self.digest(parameters.digest)
        let name = try Self.name(parameters.name, "name", RecordName.init, "a record")
        try Self.requireOffset(parameters.offset)
        let found = try find(digest, of: name, zone, container)
        noteUse(of: container)
        if let page = try read(found.asset, of: found.zone, from: parameters.offset) { return call.reply(page) }
        let later = call.later
        let waiter = AssetFetcher.Waiter(isWaiting: { later.call.map { !$0.isOver && $0.connection.isOpen } ?? false })
        {
            [weak self] result in
            later.answer { () throws(Failure) in
                if case .failure(let failure) = result { throw Self.failure(failure, name) }
                guard let page = try self?.read(found.asset, of: found.zone, from: parameters.offset) else {
                    throw Self.failure(.notFound, name)
                }
                return page
            }
        }
        carrier.assets.fetch(found.asset, of: name, in: found.zone, found.container, for: waiter)
    }

    private struct FoundAsset {
        let asset: Asset
        let zone: ZoneRow
        let container: ContainerRow
    }

    /// The asset with a digest that a record of the copy has. A digest by itself opens nothing.
    private func find(
        _ digest: [UInt8], of name: RecordName, _ zone: ZoneID, _ container: Container
    ) throws(Failure) -> FoundAsset {
        let own = try account.id.account
        let found = try write { (tables) throws(StorageError) -> Result<FoundAsset, AssetFetcher.Failure>? in
            let row = try tables.open(container)
            guard let present = try tables.present(zone, in: row, of: own) else { return nil }
            guard let asset = try tables.asset(digest, of: name, in: present) else { return .failure(.notFound) }
            return .success(FoundAsset(asset: asset, zone: present, container: row))
        }
        switch found {
        case .success(let asset): return asset
        case .failure:
            throw .assetNotFound(message: "There is no record \(name) with this asset.")
        case nil: throw .zoneNotFound(message: "There is no zone \(zone.name) here.")
        }
    }

    /// A part of an asset that is complete in the copy; nil for another one.
    private func read(
        _ asset: Asset, of zone: ZoneRow, from offset: Int64
    ) throws(Failure) -> SyncInterface.ReadAsset.Reply? {
        let found = try read { (tables) throws(StorageError) -> (row: AssetRow, bytes: [UInt8])? in
            guard let row = try tables.asset(asset.digest, in: zone), row.isComplete else { return nil }
            return (row, try tables.read(row, from: offset, most: Int64(AssetLimits.partBytes)))
        }
        guard let found else { return nil }
        if offset == 0 { noteUse(of: found.row) }
        return .init(bytes: Base64.text(found.bytes), size: asset.size)
    }

    /// Notes that a program reads an asset. What is on this machine can be read although a full disk does not store that.
    private func noteUse(of row: AssetRow) {
        let now = carrier.now
        do throws(StorageError) {
            try cache.write { (tables) throws(StorageError) in try tables.noteUse(of: row, at: now) }
        } catch { Log.warning("the use of a file is not noted: \(error)") }
    }

    private static func failure(_ failure: AssetFetcher.Failure, _ name: RecordName) -> Failure {
        switch failure {
        case .hub(let problem):
            .networkUnavailable(message: "The asset is not on this machine, and cannot be downloaded. \(problem)")
        case .unsent:
            .assetNotFound(
                message:
                    "The bytes of this asset are neither on this machine nor at the hub: before the change of the record"
                    + " \(name) was sent, the hub removed them with other records, or with the zone, as a reset of the"
                    + " account's encryption does. Add them again, or save the record without them.")
        case .notFound:
            .assetNotFound(
                message:
                    "The hub does not have the bytes of this asset for the record \(name): it was changed, deleted or"
                    + " withdrawn, or its bytes were never uploaded.")
        case .storage(let error): notStored(error)
        }
    }

    static func digest(_ text: String) throws(Failure) -> [UInt8] {
        guard text.utf8.count == 2 * Asset.digestSize, text == text.lowercased(), let digest = HexText.bytes(of: text)
        else {
            throw .invalidArgument(
                argument: "digest", message: "It is a SHA-256 digest of 64 hexadecimal digits in lower case.")
        }
        return digest
    }

    static func requireOffset(_ offset: Int64) throws(Failure) {
        guard offset >= 0 else {
            throw .invalidArgument(argument: "offset", message: "It is the number of bytes before.")
        }
    }
}
