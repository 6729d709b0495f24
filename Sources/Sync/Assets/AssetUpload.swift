import HTTP
import Platform
import Records
import Storage
import Upload

/// The upload of an asset to a zone of the hub, a part at a time. Whatever was interrupted, the hub says where to go on.
struct AssetUpload {
    private let row: AssetRow
    private let zone: ZoneRow

    /// As long as a part needs at 28 kbit/s.
    static let patience = Duration.seconds(300)

    init(_ row: AssetRow, to zone: ZoneRow) {
        self.row = row
        self.zone = zone
    }

    /// The request that sends a part.
    func request(for part: [UInt8]) -> HubRequest {
        Self.request(for: part, of: row.asset, from: row.sent, to: zone.zone)
    }

    /// The request that sends a part of an asset, from an offset on, or nil to begin anew whatever the hub has.
    static func request(for part: [UInt8], of asset: Asset, from offset: Int64?, to zone: ZoneID) -> HubRequest {
        var request = HubRequest(
            method: offset == nil ? .put : .patch, path: HubAddress.upload(asset.digest, to: zone), body: part)
        request.type = "application/octet-stream"
        request.time = patience
        request.headers = [HTTPAnswer.Header("Upload-Length", "\(asset.size)")]
        if let offset { request.headers.append(HTTPAnswer.Header("Upload-Offset", "\(offset)")) }
        return request
    }

    /// Applies the answer to a request with a part of so many bytes.
    func apply(
        _ reply: HubReply, after count: Int64, in container: ContainerRow, to cache: SyncCache
    ) throws(StorageError) -> WorkStep.Verdict {
        switch reply {
        case .uploaded(let offset, let isComplete):
            guard offset <= row.asset.size else { return .pause(.strange(status: 200)) }
            try cache.write { (tables) throws(StorageError) in
                try tables.storeUpload(row.id, sent: offset, isUploaded: isComplete)
            }
            // A hub whose offset does not change would be queried without end.
            let hasAdvanced = isComplete || offset != row.sent
            return hasAdvanced ? .next : .pause(reply)
        // The reason of an objection is one that this version does not know, and that may not last.
        case .uploadDiffers, .objected:
            if case .objected(let message) = reply {
                Log.warning("the hub refuses a file of \(container.container.name): \(message)")
            }
            let isRepeated = try cache.write { (tables) throws(StorageError) in
                if try tables.uploadAgain(row.asset.digest, in: zone) { return true }
                try tables.setAsideChanges(with: row, RecordOutcome.assetNotFound(row.asset.digest).json, in: zone)
                return false
            }
            return isRepeated ? .pause(reply) : .next
        case .refused(.zoneNotFound(let reason), _):
            try cache.write { (tables) throws(StorageError) in try tables.vanish(zone.id, reason, in: container) }
        case .refused(let refusal, let message):
            Log.warning("the hub refuses a file of \(container.container.name): \(message)")
            try cache.write { (tables) throws(StorageError) in
                try tables.setAsideChanges(with: row, refusal.json(), in: zone)
            }
        default: return .pause(reply)
        }
        return .next
    }
}
