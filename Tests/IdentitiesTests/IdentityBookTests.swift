import Authorization
import Location
import TestSupport
import Testing

@testable import Identities

@Suite struct IdentityBookTests {
    private static let vendor = Vendor(.system, .named, "org.example")
    private let key = IdentifierKey(uid: 1_000, vendor: vendor)
    private let advertising = IdentifierKey(advertisingFor: 1_000)
    private let now = UTCTime(microseconds: 1_750_000_000_000_000)
    private var generator = SeededGenerator()
    private var book = IdentityBook()

    private func later(_ seconds: Int64) -> UTCTime { UTCTime(microseconds: now.microseconds + seconds * 1_000_000) }

    /// Queries an identifier, stores it, and returns it.
    private mutating func received(_ key: IdentifierKey, by app: String = "map") -> UniqueID? {
        _ = book.query(key, by: app, at: now, new: .random())
        book.stored(book.record(of: key), for: key)
        return book.received(key, by: app)
    }

    @Test mutating func `nothing is received before it is stored`() {
        let answer = book.query(key, by: "map", at: now, new: .random())
        #expect(answer == IdentityBook.Answer(mustBeStored: true, isFirst: true))
        #expect(book.received(key, by: "map") == nil)
        book.stored(book.record(of: key), for: key)
        #expect(book.received(key, by: "map")?.isRandom == true)
        #expect(book.received(key, by: "compass") == nil, "its query is not stored")
    }

    @Test mutating func `all apps of a vendor receive one identifier, and other vendors and users others`() throws {
        let first = try #require(received(key))
        #expect(received(key, by: "compass") == first)
        let others = [
            IdentifierKey(uid: 1_001, vendor: Self.vendor),
            IdentifierKey(uid: 1_000, vendor: Vendor(.user, .named, "org.example")),
            IdentifierKey(uid: 1_000, vendor: Vendor(.system, .app, "org.example")),
            IdentifierKey(uid: 1_000, vendor: Vendor(.system, .named, "org.example.map")),
        ]
        let identifiers = others.compactMap { received($0) }
        #expect(Set(identifiers + [first]).count == 5)
    }

    @Test mutating func `a reset is in effect at once, and what was being stored is not received`() throws {
        let first = try #require(received(key))
        #expect(book.reset(uid: 1_001) == [])
        #expect(book.reset(uid: 1_000) == [key])
        #expect(book.received(key, by: "map") == nil)
        let second = try #require(received(key))
        #expect(second != first)
        let pending = IdentifierKey(uid: 1_000, vendor: Vendor(.system, .app, "compass"))
        _ = book.query(pending, by: "compass", at: now, new: .random())
        let record = book.record(of: pending)
        #expect(book.reset(uid: nil) == [key, pending])
        book.stored(record, for: pending)
        #expect(book.received(pending, by: "compass") == nil)
    }

    @Test mutating func `a record that cannot be stored leaves what was stored before`() throws {
        _ = book.query(key, by: "map", at: now, new: .random())
        book.notStored(try #require(book.record(of: key)), for: key)
        #expect(book.record(of: key) == nil && book.keys == [])
        let first = try #require(received(key))
        _ = book.query(key, by: "compass", at: now, new: .random())
        book.notStored(try #require(book.record(of: key)), for: key)
        #expect(book.received(key, by: "map") == first && book.received(key, by: "compass") == nil)
        #expect(book.query(key, by: "compass", at: now, new: .random()).mustBeStored)
        // A reset that could not be stored remains in effect.
        _ = book.reset(uid: nil)
        _ = book.query(key, by: "map", at: now, new: .random())
        book.notStored(try #require(book.record(of: key)), for: key)
        #expect(book.received(key, by: "map") == nil)
        #expect(received(key) != first)
    }

    @Test mutating func `queries within an hour are stored once, and a clock that is set back changes nothing`() throws
    {
        _ = received(key)
        for seconds in [0, 1, 3_599, -86_400] {
            let answer = book.query(key, by: "map", at: later(Int64(seconds)), new: .random())
            #expect(answer == IdentityBook.Answer(mustBeStored: false, isFirst: false), "\(seconds)")
        }
        #expect(book.query(key, by: "map", at: later(3_600), new: .random()).mustBeStored)
        book.stored(book.record(of: key), for: key)
        let disclosure = try #require(book.disclosures.first)
        #expect(disclosure.app == AppID(uid: 1_000, name: "map") && disclosure.key == key)
        #expect(disclosure.use == IdentifierRecord.Use(first: now, last: later(3_600)))
    }

    @Test mutating func `of a template's instances the most recent are remembered`() throws {
        for number in 0..<(IdentifierRecord.mostApps + 10) {
            _ = book.query(key, by: "report@\(number)", at: later(Int64(number)), new: .random())
        }
        let record = try #require(book.record(of: key))
        #expect(record.uses.count == IdentifierRecord.mostApps)
        #expect(record.uses["report@9"] == nil && record.uses["report@10"] != nil)
        #expect(IdentifierRecord(text: record.text) == record)
    }

    @Test mutating func `a stored text is restored, and a damaged one is none`() throws {
        _ = received(key)
        _ = received(key, by: "compass")
        let record = try #require(book.record(of: key))
        #expect(IdentifierRecord(text: record.text) == record)
        let identifier = record.identifier.description
        let damaged = [
            "", "{", "[]", "{}", String(record.text.dropLast()), #"{"identifier":"\#(identifier)"}"#,
            #"{"identifier":"00000000-0000-0000-0000-000000000000","uses":[]}"#,
            #"{"identifier":"\#(identifier.dropLast())","uses":[]}"#,
            #"{"identifier":"\#(identifier)","uses":[{"app":"map","first":2,"last":1}]}"#,
            #"{"identifier":"\#(identifier)","uses":[{"app":"","first":1,"last":1}]}"#,
            #"{"identifier":"\#(identifier)","uses":[{"app":"a","first":1,"last":1},{"app":"a","first":1,"last":1}]}"#,
        ]
        for text in damaged { #expect(IdentifierRecord(text: text) == nil, "\(text)") }
        var copy = Array(record.text.utf8)
        for place in copy.indices {
            let before = copy[place]
            copy[place] = UInt8.random(in: 0...255, using: &generator)
            if let read = IdentifierRecord(text: String(decoding: copy, as: UTF8.self)) {
                #expect(read.identifier.isRandom && read.uses.count <= 2)
            }
            copy[place] = before
        }
    }

    @Test mutating func `the advertising identifier is one for each user, and reset by itself or with all`() throws {
        let other = IdentifierKey(advertisingFor: 1_001)
        let first = try #require(received(advertising))
        #expect(received(advertising, by: "shop") == first, "an app of another vendor")
        let (vendors, others) = (try #require(received(key)), try #require(received(other)))
        #expect(Set([first, vendors, others]).count == 3)
        #expect(book.reset(uid: 1_000, kind: .advertisingIdentifier) == [advertising])
        #expect(book.received(advertising, by: "map") == nil)
        let second = try #require(received(advertising))
        #expect(second != first && received(key) == vendors && received(other) == others)
        #expect(book.reset(uid: 1_000, kind: .identifierForVendor) == [key])
        #expect(book.reset(uid: 1_000) == [key, advertising], "the removal of the vendor's is not stored yet")
        #expect(book.disclosures.map(\.key) == [other])
    }

    @Test func `the name of the stored text of an advertising identifier stands for one user`() {
        #expect(
            advertising.savedName == "identifier 1000 advertising" && IdentifierKey.isSavedName(advertising.savedName))
        #expect(IdentifierKey(savedName: advertising.savedName) == advertising)
        for name in ["identifier 01 advertising", "identifier 1 advertising x", "identifier advertising"] {
            #expect(IdentifierKey(savedName: name) == nil, "\(name)")
        }
    }

    @Test(arguments: [
        Vendor(.system, .named, "org.example"), Vendor(.user, .named, "org.example"), Vendor(.system, .app, "report@"),
        Vendor(.user, .app, "a_b-c.d"),
    ])
    func `the name of a stored text stands for one key`(vendor: Vendor) {
        let key = IdentifierKey(uid: 4_294_967_294, vendor: vendor)
        #expect(IdentifierKey(savedName: key.savedName) == key && IdentifierKey.isSavedName(key.savedName))
        for name in [
            key.savedName + " x", "identifier 01 system named x", "identifier -1 system named x", "wake 1 map",
            "identifier 1 other named x", "identifier 1 system named ", "identifier 1 system",
        ] { #expect(IdentifierKey(savedName: name) == nil, "\(name)") }
    }
}
