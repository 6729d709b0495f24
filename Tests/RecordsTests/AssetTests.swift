import Cryptography
import Location
import Records
import Testing

@Suite struct AssetTests {
    static let photo = [UInt8]("a photo of a place".utf8)
    static let field: FieldName = name("photo")

    @Test(arguments: EngineKind.allCases)
    func `an asset is uploaded in parts, saved with a record, and read through it`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let asset = Asset(of: Self.photo)
        let first = try world.upload(asset, Array(Self.photo.prefix(7)), at: 0)
        #expect(try first.get() == UploadProgress(offset: 7, size: 18, isComplete: false))
        #expect(try world.save("n1", asset) == .assetNotFound(asset.digest))
        let progress = world.progress(of: asset)
        #expect(try progress.get().offset == 7)
        let second = try world.upload(asset, Array(Self.photo.dropFirst(7)), at: 7)
        #expect(try second.get() == UploadProgress(offset: 18, size: 18, isComplete: true))
        #expect(try world.save("n1", asset)?.isDone == true)
        #expect(try world.read(asset, of: "n1").get() == Self.photo)
        #expect(try world.read(asset, of: "n1", from: 7, most: 3).get() == Array(Self.photo[7..<10]))
        #expect(try world.read(asset, of: "n1", from: 18).get() == [])
        #expect(try world.read(asset, of: "n1", by: World.laptop).get() == Self.photo)
        #expect(world.progress(of: asset) == .failure(.unknown))
        #expect(world.engine.violations == [])
    }

    @Test(arguments: EngineKind.allCases)
    func `an asset without bytes has to have the digest of none`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let empty = Asset(of: [])
        #expect(try world.upload(empty, [], at: 0).get().isComplete)
        #expect(try world.save("n1", empty)?.isDone == true)
        #expect(try world.read(empty, of: "n1").get() == [])
        let forged = try #require(Asset(digest: Asset(of: Self.photo).digest, size: 0))
        #expect(try world.upload(forged, [], at: 0) == .failure(.digestDiffers))
    }

    @Test(arguments: EngineKind.allCases)
    func `wrong bytes, sizes and offsets are refused, and nothing of them is stored`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let asset = Asset(of: Self.photo)
        #expect(
            try world.upload(asset, [1], at: 3)
                == .failure(.offsetDiffers(UploadProgress(offset: 0, size: 18, isComplete: false))))
        #expect(try world.upload(asset, Self.photo + [0], at: 0) == .failure(.tooLong(18)))
        _ = try world.upload(asset, Array(Self.photo.prefix(7)), at: 0)
        for offset in [0, 6, 8, 18, 1 << 40] as [Int64] {
            #expect(
                try world.upload(asset, [1], at: offset)
                    == .failure(.offsetDiffers(UploadProgress(offset: 7, size: 18, isComplete: false))))
        }
        let other = try #require(Asset(digest: asset.digest, size: 19))
        #expect(try world.upload(other, [1], at: 7) == .failure(.sizeDiffers(18)))
        #expect(try world.upload(asset, [UInt8](repeating: 0, count: 11), at: 7) == .failure(.digestDiffers))
        #expect(world.progress(of: asset) == .failure(.unknown))
        #expect(try world.upload(asset, Self.photo, at: nil).get().isComplete)
        // A record that says another size than the asset has is refused too.
        #expect(try world.save("n1", other) == .assetNotFound(other.digest))
        #expect(try world.save("n1", asset)?.isDone == true)
    }

    @Test(arguments: EngineKind.allCases)
    func `an upload begins anew, and can be ended`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let asset = Asset(of: Self.photo)
        _ = try world.upload(asset, [9, 9, 9], at: 0)
        #expect(try world.upload(asset, Self.photo, at: nil).get().isComplete)
        // Complete ones stay as they are.
        #expect(try world.upload(asset, [], at: nil).get().isComplete)
        #expect(try world.store.endUpload(of: asset.digest, to: World.notes, by: World.phone) == nil)
        #expect(try world.store.endUpload(of: asset.digest, to: World.notes, by: World.phone) == .unknown)
        #expect(try world.save("n1", asset) == .assetNotFound(asset.digest))
        try world.clean()
        let tables = try world.engine.tables()
        #expect(tables.assets.isEmpty && tables.discarded.isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `bytes are stored as long as a record has them`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let asset = Asset(of: Self.photo)
        _ = try world.upload(asset, Self.photo, at: 0)
        #expect(try world.save("n1", asset)?.isDone == true)
        // Another record of the zone can have it without another upload, by who sees the whole zone.
        #expect(try world.save("n2", asset)?.isDone == true)
        #expect(try world.save("n1", nil)?.isDone == true)
        try world.clean()
        #expect(try world.read(asset, of: "n1") == .failure(.unknownItem))
        #expect(try world.read(asset, of: "n2").get() == Self.photo)
        try world.modify(deleting: [.init(name("n2"))])
        try world.clean()
        let tables = try world.engine.tables()
        #expect(tables.assets.isEmpty && tables.assetUses.isEmpty && tables.discarded.isEmpty)
        #expect(try world.save("n3", asset) == .assetNotFound(asset.digest))
    }

    @Test(arguments: EngineKind.allCases)
    func `lists of assets, and changes of other fields, leave the others as they are`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let assets = (1...3).map { Asset(of: [UInt8](repeating: $0, count: 10)) }
        for (index, asset) in assets.enumerated() {
            _ = try world.upload(asset, [UInt8](repeating: UInt8(index + 1), count: 10), at: 0)
        }
        func save(_ some: [Asset], _ policy: SavePolicy = .changedKeys) throws -> RecordOutcome? {
            let list = try #require(FieldList(.asset, some.map { .asset($0) }))
            let draft = RecordDraft(name("n1"), name("Note"), [name("all"): .list(list)])
            return try world.modify([.init(draft, policy)]).first
        }
        #expect(try save(assets)?.isDone == true)
        #expect(try save(Array(assets.dropFirst()))?.isDone == true)
        let text = RecordDraft(name("n1"), name("Note"), [name("text"): .string("x")])
        #expect(try world.modify([.init(text, .changedKeys)]).first?.isDone == true)
        try world.clean()
        #expect(try world.read(assets[0], of: "n1") == .failure(.unknownItem))
        #expect(try world.read(assets[2], of: "n1").get() == [UInt8](repeating: 3, count: 10))
        #expect(try save([], .allKeys)?.isDone == true)
        try world.clean()
        #expect(try world.engine.tables().assets.isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `a batch with an asset that is missing is refused as a whole, and uses nothing`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let asset = Asset(of: Self.photo)
        let missing = Asset(of: [1])
        _ = try world.upload(asset, Self.photo, at: 0)
        let outcomes = try world.modify([
            .init(RecordDraft(name("n1"), name("Note"), [Self.field: .asset(asset)])),
            .init(RecordDraft(name("n2"), name("Note"), [Self.field: .asset(missing)])),
        ])
        #expect(outcomes == [.batchRequestFailed(culprit: name("n2")), .assetNotFound(missing.digest)])
        #expect(try world.engine.tables().assetUses.isEmpty)
        #expect(try world.save("n1", asset)?.isDone == true)
    }

    @Test(arguments: EngineKind.allCases)
    func `nobody gets bytes for a digest, or learns that they are there`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let asset = Asset(of: Self.photo)
        _ = try world.upload(asset, Self.photo, at: 0)
        #expect(try world.save("n1", asset)?.isDone == true)
        // In another account's zone the whole of it is uploaded again.
        try world.make("notes", by: World.bobs)
        let bobs = World.zone("notes", World.bob)
        #expect(try world.save("n1", asset, in: bobs, by: World.bobs) == .assetNotFound(asset.digest))
        let begun = try world.upload(asset, Array(Self.photo.prefix(1)), at: 0, to: bobs, by: World.bobs)
        #expect(try begun.get().isComplete == false)
        for caller in [World.bobs, .anonymous] {
            let refusal: Refusal = caller == .anonymous ? .notAuthenticated : .notPermitted
            #expect(try world.read(asset, of: "n1", by: caller) == .failure(refusal))
            #expect(try world.upload(asset, Self.photo, at: 0, by: caller) == .failure(.refused(refusal)))
        }
        // Whoever shares one record of the zone neither reads through another one, nor saves what another one has.
        try world.save("open")
        try world.share(World.notes, .write, of: "open")
        #expect(try world.read(asset, of: "n1", by: World.bobs) == .failure(.unknownItem))
        let draft = RecordDraft(
            name("below"), name("Note"), [Self.field: .asset(asset), name("parent"): .reference(name("open"))])
        #expect(try world.modify([.init(draft)], by: World.bobs) == [.assetNotFound(asset.digest)])
        #expect(try world.upload(asset, Self.photo, at: 0, by: World.bobs).get().isComplete)
        #expect(try world.modify([.init(draft)], by: World.bobs).first?.isDone == true)
        #expect(try world.read(asset, of: "below", by: World.bobs).get() == Self.photo)
        // One of the two uploads is enough for both records.
        try world.clean()
        #expect(try world.engine.tables().assets.filter { $0.key.zone == World.notes }.count == 1)
        // What is withdrawn is not read any more.
        try world.withdraw(World.notes, of: "open")
        #expect(try world.read(asset, of: "below", by: World.bobs) == .failure(.notPermitted))
        #expect(world.engine.violations == [])
    }

    @Test(arguments: EngineKind.allCases)
    func `another account's upload helps nobody, also not who sees the whole zone`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        try world.share(World.notes, .write)
        let asset = Asset(of: Self.photo)
        _ = try world.upload(asset, Self.photo, at: 0)
        #expect(try world.save("b", asset, by: World.bobs) == .assetNotFound(asset.digest))
        #expect(try world.save("a", asset)?.isDone == true)
        #expect(try world.save("b", asset, by: World.bobs)?.isDone == true)
    }

    @Test(arguments: EngineKind.allCases)
    func `the roles of the public database decide who reads and uploads`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let everybody = ZoneID(World.container, owner: nil, .defaultZone)
        let asset = Asset(of: Self.photo)
        #expect(
            try world.upload(asset, Self.photo, at: 0, to: everybody, by: .anonymous)
                == .failure(.refused(.notAuthenticated)))
        _ = try world.upload(asset, Self.photo, at: 0, to: everybody)
        #expect(try world.save("n1", asset, in: everybody)?.isDone == true)
        #expect(try world.read(asset, of: "n1", in: everybody, by: .anonymous).get() == Self.photo)
        #expect(try world.save("n2", asset, in: everybody, by: World.bobs) == .assetNotFound(asset.digest))
    }

    @Test(arguments: EngineKind.allCases)
    func `in the public database a digest opens nothing, and bytes are stored as long as a record has them`(
        engine: EngineKind
    ) throws {
        var world = try World.withNotes(on: engine)
        let everybody = ZoneID(World.container, owner: nil, .defaultZone)
        let asset = Asset(of: Self.photo)
        func deploy(_ roles: RecordRoles) throws {
            let note = TypeDefinition(name("Note"), [Self.field: FieldDefinition(.init(.asset))], roles: roles)
            _ = try world.store.replaceSchema(of: World.container.name, by: Schema([note])).get()
            _ = try world.store.deploySchema(of: World.container.name, changingRoles: true).get()
        }
        // Each account writes all records, and reads its own.
        try deploy(RecordRoles(world: [], authenticated: [.create, .write], creator: [.read]))
        _ = try world.upload(asset, Self.photo, at: 0, to: everybody)
        #expect(try world.save("n1", asset, in: everybody)?.isDone == true)
        #expect(try world.read(asset, of: "n1", in: everybody).get() == Self.photo)
        for caller in [World.bobs, .anonymous] {
            #expect(try world.read(asset, of: "n1", in: everybody, by: caller) == .failure(.unknownItem))
        }
        // Whether a record that Bob may not read has the asset, he does not learn by saving it with the digest.
        for record in ["n1", "n2"] {
            #expect(
                try world.save(record, asset, in: everybody, by: World.bobs) == .assetNotFound(asset.digest),
                "\(record)")
        }
        // His upload is one of all bytes, which help nobody else, and become those of his record.
        #expect(
            try world.upload(asset, Array(Self.photo.prefix(1)), at: 0, to: everybody, by: World.bobs).get().offset == 1
        )
        #expect(try world.upload(asset, Self.photo, at: nil, to: everybody, by: World.bobs).get().isComplete)
        #expect(try world.save("n2", asset, in: everybody, by: World.bobs)?.isDone == true)
        try world.clean()
        #expect(try world.engine.tables().assets.count == 1)
        #expect(try world.read(asset, of: "n2", in: everybody, by: World.bobs).get() == Self.photo)
        #expect(try world.read(asset, of: "n2", in: everybody) == .failure(.unknownItem))
        // What may be read without an account is read with its asset.
        try deploy(RecordRoles(world: [.read], authenticated: [.create], creator: [.read, .write]))
        #expect(try world.read(asset, of: "n1", in: everybody, by: .anonymous).get() == Self.photo)
        #expect(try world.read(asset, of: "n1", in: everybody, by: World.bobs).get() == Self.photo)
        #expect(try world.save("n1", nil, in: everybody, by: World.bobs) == .notPermitted)
        // With the last record the bytes go.
        #expect(try world.save("n1", nil, in: everybody)?.isDone == true)
        try world.clean()
        #expect(try world.read(asset, of: "n1", in: everybody, by: .anonymous) == .failure(.unknownItem))
        #expect(try world.read(asset, of: "n2", in: everybody, by: .anonymous).get() == Self.photo)
        try world.modify(deleting: [.init(name("n2"))], in: everybody, by: World.bobs)
        try world.clean()
        let tables = try world.engine.tables()
        #expect(tables.assets.isEmpty && tables.assetUses.isEmpty && tables.discarded.isEmpty)
        #expect(world.engine.violations == [])
    }

    @Test(arguments: EngineKind.allCases)
    func `a deleted zone has no assets, and one of its name begins without them`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let asset = Asset(of: Self.photo)
        _ = try world.upload(asset, Self.photo, at: 0)
        #expect(try world.save("n1", asset)?.isDone == true)
        _ = try world.upload(Asset(of: [1, 2]), [1], at: 0)
        try world.delete("notes")
        try world.make("notes")
        #expect(try world.save("n1", asset) == .assetNotFound(asset.digest))
        #expect(world.progress(of: Asset(of: [1, 2])) == .failure(.unknown))
        #expect(try world.engine.tables().discarded.count == 2)
        try world.clean()
        let tables = try world.engine.tables()
        #expect(tables.assets.isEmpty && tables.assetUses.isEmpty && tables.discarded.isEmpty)
    }

    @Test(arguments: EngineKind.allCases)
    func `an upload that nobody continues ends, and one that a record has does not`(engine: EngineKind) throws {
        var world = try World.withNotes(on: engine)
        let saved = Asset(of: Self.photo)
        _ = try world.upload(saved, Self.photo, at: 0)
        #expect(try world.save("n1", saved)?.isDone == true)
        _ = try world.upload(Asset(of: [1, 2]), [1], at: 0)
        _ = try world.upload(Asset(of: [3]), [3], at: 0)
        world.wait(days: 6)
        _ = try world.upload(Asset(of: [1, 2, 3]), [1], at: 0)
        try world.clean()
        #expect(try world.engine.tables().assets.count == 4)
        world.wait(days: 2)
        try world.clean()
        #expect(world.progress(of: Asset(of: [1, 2])) == .failure(.unknown))
        #expect(world.progress(of: Asset(of: [3])) == .failure(.unknown))
        #expect(try world.progress(of: Asset(of: [1, 2, 3])).get().offset == 1)
        #expect(try world.read(saved, of: "n1").get() == Self.photo)
        #expect(world.engine.violations == [])
    }

    @Test(arguments: EngineKind.allCases)
    func `uploads are limited for an account, in number and in bytes`(engine: EngineKind) throws {
        var rules = SyncRules()
        rules.limits.uploads = 3
        rules.limits.uploadBytes = 100
        rules.limits.assetBytes = 90
        var world = try World.withNotes(on: engine, rules: rules)
        try world.make("lists")
        func begin(_ number: UInt8, _ size: Int64, in zone: String) throws -> UploadRefusal? {
            let asset = try #require(Asset(digest: [UInt8](repeating: number, count: 32), size: size))
            switch try world.upload(asset, [], at: 0, to: World.zone(zone, World.alice)) {
            case .success: return nil
            case .failure(let refusal): return refusal
            }
        }
        #expect(try begin(1, 91, in: "notes") == .refused(.limitExceeded(.assetBytes, most: 90)))
        #expect(try begin(1, 60, in: "notes") == nil)
        #expect(try begin(2, 41, in: "lists") == .refused(.limitExceeded(.uploadBytes, most: 100)))
        #expect(try begin(2, 20, in: "lists") == nil)
        #expect(try begin(3, 20, in: "lists") == nil)
        for number in 4..<200 {
            #expect(try begin(UInt8(number), 0, in: "notes") == .refused(.limitExceeded(.uploads, most: 3)))
        }
        #expect(try world.engine.tables().assets.count == 3)
        // Another account has limits of its own.
        try world.make("notes", by: World.bobs)
        let bobs = World.zone("notes", World.bob)
        _ = try world.upload(Asset(of: [1, 2]), [1], at: 0, to: bobs, by: World.bobs).get()
    }

    @Test(arguments: EngineKind.allCases)
    func `wherever an engine fails, the parts that are stored are the ones that are counted`(engine: EngineKind) throws
    {
        var world = try World.withNotes(on: engine)
        let asset = Asset(of: Self.photo)
        var failures = 0
        for (offset, byte) in Self.photo.enumerated() {
            while true {
                let before = try world.engine.tables()
                // Of the first parts each call fails in turn, then each second one.
                let isFailing = failures % 2 == 0 && failures < 60
                world.engine.failingCall = isFailing ? world.engine.nextCall + failures / 2 % 12 : nil
                do {
                    _ = try world.upload(asset, [byte], at: Int64(offset)).get()
                    world.engine.failingCall = nil
                    break
                } catch is EngineFailure {
                    failures += 1
                    world.engine.failingCall = nil
                    #expect(try world.engine.tables() == before)
                }
                failures += 1
            }
        }
        #expect(failures > 2)
        #expect(try world.save("n1", asset)?.isDone == true)
        #expect(try world.read(asset, of: "n1").get() == Self.photo)
    }
}
