import Cryptography
import Location
import Records
import Testing

/// SHA-256 of libsodium, with a state that is stored.
struct TestHasher: AssetHasher {
    func state(after bytes: [UInt8], _ state: [UInt8]) -> [UInt8] {
        var hash = ContentHash(state: state) ?? ContentHash()
        hash.update(bytes)
        return hash.state
    }

    func digest(_ state: [UInt8]) -> [UInt8] { (ContentHash(state: state) ?? ContentHash()).digest }
}

extension Asset {
    /// The asset with these bytes.
    init(of bytes: [UInt8]) {
        var hash = ContentHash()
        hash.update(bytes)
        guard let asset = Asset(digest: hash.digest, size: Int64(bytes.count)) else {
            preconditionFailure("the bytes are few")
        }
        self = asset
    }
}

extension World {
    func upload(
        _ asset: Asset, _ bytes: [UInt8], at offset: Int64?, to zone: ZoneID = notes, by caller: Caller = phone
    ) throws -> Result<UploadProgress, UploadRefusal> {
        let part = AssetPart(asset.digest, size: asset.size, offset: offset, bytes: bytes, to: zone)
        return try store.append(part, by: caller, hasher: TestHasher(), at: now)
    }

    func progress(of asset: Asset, by caller: Caller = phone) -> Result<UploadProgress, UploadRefusal> {
        do {
            return try store.progress(of: asset.digest, to: Self.notes, by: caller)
        } catch {
            Issue.record(error)
            return .failure(.unknown)
        }
    }

    /// Saves a record with an asset, or without one.
    mutating func save(
        _ record: String, _ asset: Asset?, in zone: ZoneID = notes, by caller: Caller = phone
    ) throws -> RecordOutcome? {
        var fields: [FieldName: FieldValue] = [:]
        if let asset { fields[AssetTests.field] = .asset(asset) }
        return try modify([.init(RecordDraft(name(record), name("Note"), fields), .allKeys)], in: zone, by: caller)
            .first
    }

    /// All bytes of an asset, or some.
    func read(
        _ asset: Asset, of record: String, in zone: ZoneID = notes, from offset: Int64 = 0, most: Int = 1 << 20,
        by caller: Caller = phone
    ) throws -> Answer<[UInt8]> {
        var read: [UInt8] = []
        // An engine returns one byte at least, and need not return more than it has stored together.
        while true {
            let answer = try store.bytes(
                of: asset.digest, in: name(record), of: zone, from: offset + Int64(read.count), most: most - read.count,
                by: caller)
            switch answer {
            case .failure(let refusal): return .failure(refusal)
            case .success(let part) where part.bytes.isEmpty: return .success(read)
            case .success(let part): read += part.bytes
            }
        }
    }

    func clean() throws { while try store.removeOld(at: now) {} }

    /// Shares a zone, or a record of it, with Bob.
    mutating func share(_ zone: ZoneID, _ permission: Participant.Permission, of record: String? = nil) throws {
        let root = record.map { name($0) as RecordName }
        for (action, caller) in [
            (ModifySharing.Action.invite(Self.bob, permission), Self.phone), (.accept, Self.bobs),
        ] {
            let request = ModifySharing(zone, action, of: root)
            #expect(try store.modify(request, by: caller, key: nextKey(), at: now).answer == .done)
        }
    }

    mutating func withdraw(_ zone: ZoneID, of record: String) throws {
        let request = ModifySharing(zone, .withdraw(Self.bob), of: name(record))
        #expect(try store.modify(request, by: Self.phone, key: nextKey(), at: now).answer == .done)
    }
}
