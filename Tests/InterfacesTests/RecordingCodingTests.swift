import Interfaces
import JSONText
import Location
import Testing
import Varlink

/// The encoding of recordings.
@Suite struct RecordingCodingTests {
    @Test func `requests are read as they were written`() throws {
        func expectSame<Method: VarlinkMethod>(_ method: Method) throws {
            #expect(try Method(varlink: method.parameters) == method)
        }
        try expectSame(
            RecordingInterface.Start(
                identifier: "trip", options: RecordingOptions(distanceFilter: 10, interval: 5, onRevoke: .keep)))
        try expectSame(RecordingInterface.Erase(identifier: "trip", app: "map", uid: 1_000))
        try expectSame(RecordingInterface.Read(identifier: "trip", after: 7, limit: 1_000, wait: true))
        try expectSame(RecordingInterface.Acknowledge(identifier: "trip", upTo: 9))
        try expectSame(
            RecordingInterface.Reject(identifier: "trip", sequence: 3, status: 422, message: "no such longitude"))
        try expectSame(RecordingInterface.ReadRejected(identifier: "trip", after: 3, limit: 7, app: "a", uid: 8))
        try expectSame(RecordingInterface.Revive(identifier: "trip", sequence: 3))
    }

    @Test func `absent members have their defaults`() throws {
        let start = try RecordingInterface.Start(varlink: ["identifier": "a", "options": [:]])
        #expect(start.options?.onRevoke == .erase)
        #expect(try RecordingInterface.Start(varlink: ["identifier": "a"]).options == nil)
    }

    @Test(arguments: [
        ("identifier", #"{"after":1}"#), ("after", #"{"identifier":"a"}"#),
        ("after", #"{"identifier":"a","after":-1}"#),
        ("limit", #"{"identifier":"a","after":0,"limit":0}"#),
        ("limit", #"{"identifier":"a","after":0,"limit":1001}"#),
        ("wait", #"{"identifier":"a","after":0,"wait":1}"#),
    ])
    func `a parameter out of its range is named`(name: String, parameters: String) throws {
        let parameters = try JSON.parse(Array(parameters.utf8))
        #expect(throws: InvalidParameter(path: name)) { try RecordingInterface.Read(varlink: parameters) }
    }

    @Test func `an option out of its range is named with its object`() {
        #expect(throws: InvalidParameter(path: "options.interval")) {
            try RecordingInterface.Start(varlink: ["identifier": "a", "options": ["interval": -1]])
        }
        #expect(throws: InvalidParameter(path: "options.onRevoke")) {
            try RecordingInterface.Start(varlink: ["identifier": "a", "options": ["onRevoke": "burn"]])
        }
    }

    @Test(arguments: [
        ("trip", true), ("A-1_b.c", true), ("", false), (".hidden", false), ("a b", false), ("a/b", false),
        ("ä", false),
        (String(repeating: "a", count: 128), true), (String(repeating: "a", count: 129), false),
    ])
    func `an identifier has only the allowed characters`(text: String, isValid: Bool) {
        #expect(RecordingIdentifier.isValid(text) == isValid)
    }

    @Test func `a recording is read as it was written`() throws {
        let recording = KnownRecording(
            uid: 1_000, app: "map", identifier: "trip", id: RecordingID(high: 1, low: 2),
            options: RecordingOptions(desiredAccuracy: 50), isStarted: true, state: "recording",
            startedAt: 1_700_000_000.5, last: 9, acknowledged: 4, waiting: 3, oldestWaiting: 1_700_000_001,
            deadLetters: 2, dropped: 1)
        #expect(try KnownRecording(varlink: try written { recording.write(to: &$0) }) == recording)
    }

    @Test func `a page is read, and one with an invalid position is rejected`() throws {
        let point: JSON = [
            "sequence": 5, "position": ["timestamp": 1.5, "latitude": 48, "longitude": 11, "horizontalAccuracy": 3],
        ]
        let id = RecordingID(high: 1, low: 2)
        let page = RecordingPage(
            try RecordingInterface.Read.reply([
                "id": .string("\(id)"), "points": [point], "last": 5, "acknowledged": 4,
            ]))
        #expect(page.points.map(\.id) == ["\(id)/5"])
        #expect(page.points.first?.position.timestamp == 1.5)
        #expect(throws: InvalidParameter(path: "points[1].position")) {
            try RecordingInterface.Read.Reply(varlink: [
                "id": .string("\(id)"), "points": [point, ["sequence": 6]], "last": 6, "acknowledged": 4,
            ])
        }
    }

    @Test(arguments: [
        "", #","altitude":519.25,"ellipsoidalAltitude":566.5,"verticalAccuracy":7,"speed":1.5,"speedAccuracy":0.25"#,
        #","course":12.5,"courseAccuracy":null,"climb":-0.5,"accuracy":"reduced","isSimulated":true,"quality":"rtkFixed""#,
        #","accuracy":"exact","quality":"best","isSimulated":null,"new":{"a":[1,"}"]}"#, #","altitude":1e400"#,
        #","latitude":91"#, #","horizontalAccuracy":0"#, #","speed":"fast""#,
    ])
    func `a page is the same when read from its bytes and from a tree`(members: String) throws {
        let text =
            #"{"new":[{}],"id":"00000000-0000-0001-0000-000000000002","points":[{"sequence":7,"position":"#
            + #"{"timestamp":1780300800.123456,"latitude":48.137154321,"longitude":-11.575382987654321,"#
            + #""horizontalAccuracy":3.5"# + members + #"}},{"position":{"timestamp":1,"latitude":0,"longitude":0,"#
            + #""horizontalAccuracy":1},"sequence":9}],"last":12,"acknowledged":6}"#
        let fromTree: RecordingPage?
        do {
            fromTree = RecordingPage(try RecordingInterface.Read.reply(try JSON.parse(Array(text.utf8))))
        } catch {
            fromTree = nil
        }
        var reader = try JSONReader(Array(text.utf8))
        do throws(JSONError) {
            let page = try RecordingPage(reading: &reader)
            #expect(page == fromTree)
            #expect(page.points.map(\.sequence) == [7, 9])
        } catch {
            // Both reject an invalid position; only this one rejects a word in place of a number.
            #expect(fromTree == nil || members.contains("fast"))
        }
    }
}
