import Location

// Assets. Each zone has its own: bytes that are stored for one zone help nobody to store or read them in another one, so that
// nobody learns from the hub who else has a file. An account uploads all bytes of an asset, and a record of the zone can have
// it then. The bytes are read through a record that has them.

extension RecordStore {
    /// How far the upload of an asset by the caller has come.
    public func progress(
        of digest: [UInt8], to zone: ZoneID, by caller: Caller
    ) throws(EngineFailure) -> Result<UploadProgress, UploadRefusal> {
        try engine.read { (transaction) throws(EngineFailure) in
            switch try uploads(to: zone, by: caller, digest, &transaction) {
            case .failure(let refusal): .failure(.refused(refusal))
            case .success((_, _, nil)): .failure(.unknown)
            case .success((_, _, let row?)): .success(UploadProgress(row))
            }
        }
    }

    /// Stores a part of an asset. The first one begins the upload, and also when there is one already if it has no offset.
    public func append(
        _ part: AssetPart, by caller: Caller, hasher: some AssetHasher, at now: UTCTime
    ) throws(EngineFailure) -> Result<UploadProgress, UploadRefusal> {
        try engine.write { (transaction) throws(EngineFailure) in
            let isFirst = (part.offset ?? 0) == 0
            // Whoever begins uploads in two zones at the same time must not exceed the limits of the account.
            if isFirst, let account = caller.account { try transaction.lock(.account(account)) }
            try transaction.lock(.zone(part.zone))
            let account: AccountID
            let zone: ZoneRow
            var found: AssetRow?
            switch try uploads(to: part.zone, by: caller, part.digest, &transaction) {
            case .failure(let refusal): return .failure(.refused(refusal))
            case .success((let known, let place, let row)): (account, zone, found) = (known, place, row)
            }
            if let row = found, part.offset == nil {
                guard !row.isComplete else { return .success(UploadProgress(row)) }
                try transaction.discard(row, in: part.zone)
                found = nil
            }
            if found == nil {
                guard isFirst else {
                    return .failure(.offsetDiffers(UploadProgress(offset: 0, size: part.size ?? 0, isComplete: false)))
                }
                switch try begin(part, of: account, in: zone, at: now, &transaction) {
                case .failure(let refusal): return .failure(refusal)
                case .success(let row): found = row
                }
            }
            guard let row = found else { return .failure(.unknown) }
            return try append(part, to: row, hasher, at: now, &transaction)
        }
    }

    private func append(
        _ part: AssetPart, to row: AssetRow, _ hasher: some AssetHasher, at now: UTCTime,
        _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> Result<UploadProgress, UploadRefusal> {
        var row = row
        guard part.size ?? row.asset.size == row.asset.size else { return .failure(.sizeDiffers(row.asset.size)) }
        guard part.offset ?? 0 == row.received else { return .failure(.offsetDiffers(UploadProgress(row))) }
        guard part.bytes.count <= row.asset.size - row.received else { return .failure(.tooLong(row.asset.size)) }
        guard !row.isComplete else { return .success(UploadProgress(row)) }
        // Also without bytes, so that the bytes of an asset of none can be read.
        if !part.bytes.isEmpty || row.received == 0 { try transaction.write(part.bytes, of: row) }
        let state = hasher.state(after: part.bytes, row.state ?? [])
        row.state = state
        row.received += Int64(part.bytes.count)
        row.time = now
        if row.received == row.asset.size {
            guard hasher.digest(state) == row.asset.digest else {
                try transaction.discard(row, in: part.zone)
                return .failure(.digestDiffers)
            }
            row.state = nil
        }
        try transaction.put(row, in: part.zone)
        return .success(UploadProgress(row))
    }

    private func begin(
        _ part: AssetPart, of account: AccountID, in zone: ZoneRow, at now: UTCTime,
        _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> Result<AssetRow, UploadRefusal> {
        guard let size = part.size else { return .failure(.needsSize) }
        let limits = rules.limits
        guard let asset = Asset(digest: part.digest, size: size), size <= limits.assetBytes else {
            return .failure(.refused(.limitExceeded(.assetBytes, most: limits.assetBytes)))
        }
        let present = try transaction.uploads(of: account)
        if let refusal = limits.refusal(present.count + 1, .uploads) { return .failure(.refused(refusal)) }
        if let refusal = limits.refusal(Int(clamping: present.bytes + size), .uploadBytes) {
            return .failure(.refused(refusal))
        }
        // A default zone without records may have no row yet.
        if zone.counter == 0 { try transaction.put(zone, of: part.zone) }
        var row = AssetRow(asset, of: account, now)
        row.number = try transaction.add(row, in: part.zone)
        return .success(row)
    }

    /// Ends an upload. What a record has already stays.
    public func endUpload(
        of digest: [UInt8], to zone: ZoneID, by caller: Caller
    ) throws(EngineFailure) -> UploadRefusal? {
        try engine.write { (transaction) throws(EngineFailure) in
            try transaction.lock(.zone(zone))
            switch try uploads(to: zone, by: caller, digest, &transaction) {
            case .failure(let refusal): return .refused(refusal)
            case .success((_, _, nil)): return .unknown
            case .success((_, _, let row?)):
                try transaction.discard(row, in: zone)
                return nil
            }
        }
    }

    /// The account of a caller who may upload assets to a zone, the row of the zone, and what the account has uploaded of one
    /// asset.
    private func uploads(
        to zone: ZoneID, by caller: Caller, _ digest: [UInt8], _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> Result<(AccountID, ZoneRow, AssetRow?), Refusal> {
        guard let account = caller.account else { return .failure(.notAuthenticated) }
        switch try open(zone, caller, &transaction) {
        case .failure(let refusal): return .failure(refusal)
        case .success((_, let access)) where !access.mayWrite: return .failure(.notPermitted)
        case .success((let place, _)):
            let rows = try transaction.assets([digest], in: zone)
            return .success((account, place, rows.first { $0.account == account }))
        }
    }

    /// Bytes of an asset that a record has, for a caller who may read the record.
    public func bytes(
        of digest: [UInt8], in record: RecordName, of zone: ZoneID, from offset: Int64, most: Int, by caller: Caller
    ) throws(EngineFailure) -> Answer<AssetBytes> {
        try engine.read { (transaction) throws(EngineFailure) in
            switch try readable([record], in: zone, caller, &transaction) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let records):
                guard let asset = records.first?.assets.first(where: { $0.digest == digest }),
                    let row = try transaction.assets([digest], in: zone).first(where: { $0.account == nil })
                else { return .failure(.unknownItem) }
                guard offset < asset.size, most > 0 else { return .success(AssetBytes(asset: asset, bytes: [])) }
                let bytes = try transaction.read(row, from: offset, most: most)
                return .success(AssetBytes(asset: asset, bytes: bytes))
            }
        }
    }

    // Records

    /// The assets that records of a request can have, besides those that they have already.
    func assets(
        for request: ModifyRecords, _ access: ZoneAccess, _ account: AccountID, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [AssetRow] {
        let wanted = request.saves.reduce(into: Set<Asset>()) { $0.formUnion($1.draft.assets) }
        guard !wanted.isEmpty else { return [] }
        let seesAll = access == .owner || access == .write
        return try transaction.assets(Set(wanted.map(\.digest)), in: request.zone).filter { row in
            // Who sees a part of the zone only must not learn what other records have.
            row.isComplete && (row.account == account || seesAll && row.account == nil)
        }
    }

    /// Stores which records have which assets after a request, in the transaction that changes the records.
    func store(
        _ rows: [RecordRow], over stored: [RecordName: RecordRow], in zone: ZoneID, by account: AccountID,
        _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) {
        var removed: [AssetUse] = []
        var added: [AssetUse] = []
        for row in rows {
            let before = Set((stored[row.name]?.record?.assets ?? []).map(\.digest))
            let after = Set((row.record?.assets ?? []).map(\.digest))
            removed += before.subtracting(after).map { AssetUse($0, by: row.name) }
            added += after.subtracting(before).map { AssetUse($0, by: row.name) }
        }
        guard !removed.isEmpty || !added.isEmpty else { return }
        try transaction.changeUses(removing: removed.sorted(), adding: added.sorted(), in: zone)
        let gained = Set(added.map(\.digest))
        let lost = Set(removed.map(\.digest)).subtracting(gained)
        let unused = lost.isEmpty ? [] : lost.subtracting(try transaction.usedAssets(lost, in: zone))
        guard !gained.isEmpty || !unused.isEmpty else { return }
        let assets = Dictionary(
            grouping: try transaction.assets(gained.union(unused), in: zone), by: \.asset.digest)
        for (digest, rows) in assets {
            let common = rows.first { $0.account == nil }
            if unused.contains(digest), let common { try transaction.discard(common, in: zone) }
            guard gained.contains(digest), var own = rows.first(where: { $0.account == account && $0.isComplete })
            else { continue }
            guard common == nil else {
                try transaction.discard(own, in: zone)
                continue
            }
            own.account = nil
            try transaction.put(own, in: zone)
        }
    }
}
