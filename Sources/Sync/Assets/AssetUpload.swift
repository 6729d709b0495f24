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
    private static let patience = Duration.seconds(300)

    init(_ row: AssetRow, to zone: ZoneRow) {
        self.row = row
        self.zone = zone
    }

    /// The request that sends a part.
    func request(for part: [UInt8]) -> HubRequest {
        // PUT begins anew, whatever the hub has.
        var request = HubRequest(
            method: row.sent == nil ? .put : .patch, path: HubAddress.upload(row.asset.digest, to: zone.zone),
            body: part)
        request.type = "application/octet-stream"
        request.time = Self.patience
        request.headers = [HTTPAnswer.Header("Upload-Length", "\(row.asset.size)")]
        if let sent = row.sent { request.headers.append(HTTPAnswer.Header("Upload-Offset", "\(sent)")) }
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
            // A hub that stays where it is would be asked without end.
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
