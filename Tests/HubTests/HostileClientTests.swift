import Glibc
import Hub
import Interfaces
import JSONText
import Platform
import TestHubs
import TestSupport
import TestTraits
import Testing

@Suite(.waits, .timeLimit(.minutes(15))) struct HostileClientTests {
    let hub: HubProcess
    let phone: HubDevice

    init() throws {
        hub = try HubProcess()
        phone = try hub.join("phone", "alice")
        try phone.json("POST", "\(HubDevice.container)/private/zones", #"{"save":["notes"]}"#)
    }

    /// Sends bytes on a connection of their own, and returns what comes back until the hub closes it or nothing comes.
    private func exchange(_ bytes: [UInt8], seconds: Double = 10) throws -> String {
        let connection = try ChattyConnection(port: hub.port)
        let socket = connection.descriptor
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            sent += count
        }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let deadline = PollDeadline(seconds: seconds)
        while try deadline.poll(socket, for: POLLIN) {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            received += buffer[..<count]
            if String(decoding: received, as: UTF8.self).contains("\r\n\r\n") { break }
        }
        return String(decoding: received, as: UTF8.self)
    }

    private func head(_ method: String, _ path: String, _ headers: [String]) -> [UInt8] {
        Array((["\(method) \(path) HTTP/1.1", "Host: x"] + headers).joined(separator: "\r\n").utf8)
            + Array("\r\n\r\n".utf8)
    }

    private var authorization: String { "Authorization: Bearer \(phone.token ?? "")" }

    @Test func `a body that is too long is refused before it is received`() throws {
        let announced = try exchange(
            head("POST", "\(phone.notes)/records", [authorization, "Content-Length: 999999999", "Idempotency-Key: a"]))
        #expect(announced.hasPrefix("HTTP/1.1 413"))
        let anonymous = try exchange(head("POST", "/v1/join", ["Content-Length: 70000"]))
        #expect(anonymous.hasPrefix("HTTP/1.1 413"))
        let forged = try exchange(
            head("POST", "\(phone.notes)/records", ["Authorization: Bearer 00", "Content-Length: 8000000"]))
        #expect(forged.hasPrefix("HTTP/1.1 401"))
        #expect(try phone.send("GET", "/v1/device").status == 200)
    }

    @Test func `a body in pieces without an end is cut off, and costs no memory`() throws {
        let before = try ProcessFigures(hub.processID).anonymousKiB
        var bytes = head("POST", "\(phone.notes)/records", [authorization, "Transfer-Encoding: chunked"])
        let piece = Array("10000\r\n".utf8) + [UInt8](repeating: 0x20, count: 65_536) + Array("\r\n".utf8)
        for _ in 0..<600 { bytes += piece }
        #expect(try !exchange(bytes).hasPrefix("HTTP/1.1 200"))
        #expect(try phone.send("GET", "/v1/device").status == 200)
        #expect(try ProcessFigures(hub.processID).anonymousKiB < before + 40_960)
    }

    @Test(arguments: [
        #"{"save":"#, "[]", "null", "\u{FEFF}{}", #"{"save":[{"record":{"name":"n1"}}]}"#,
        #"{"save":[{"record":{"name":"a b","type":"Note","fields":{}}}]}"#,
        #"{"save":[{"record":{"name":"n1","type":"No te","fields":{}}}]}"#,
        #"{"save":[{"record":{"name":"n1","type":"Note","fields":{"x":{"integer":1.5}}}}]}"#,
        #"{"delete":[{"name":"n1","changeTag":"zz"}]}"#,
    ])
    func `a body that is no request has an answer that says where`(body: String) throws {
        let answer = try phone.send("POST", "\(phone.notes)/records", body)
        #expect(answer.status == 400 && answer.json["error"] == "malformed")
        #expect(answer.json["message"]?.stringValue?.isEmpty == false)
    }

    @Test func `nesting and many values are refused by their number`() throws {
        for body in [
            String(repeating: "[", count: 100_000), #"{"save":"# + String(repeating: #"{"a":"#, count: 50_000),
            "{\"save\":[" + String(repeating: "1,", count: 1_000_000) + "1]}",
        ] {
            let answer = try phone.send("POST", "\(phone.notes)/records", body)
            #expect(answer.status == 400 || answer.status == 413, "\(answer.status)")
        }
        let condition = #"{"field":"x","equal":{"integer":1}}"#
        func query(_ count: Int) -> String {
            #"{"type":"Note","filter":{"any":["#
                + Array(repeating: condition, count: count).joined(separator: ",") + "]}}"
        }
        let answer = try phone.send("POST", "\(phone.notes)/query", query(100_000))
        #expect(answer.status == 413 && answer.json["message"]?.stringValue?.isEmpty == false, "\(answer.body)")
        // The hub refuses a longer body when its length is announced, and may close the connection before all is sent.
        let before = try ProcessFigures(hub.processID).anonymousKiB
        let longer = attempt { try phone.send("POST", "\(phone.notes)/query", query(1_000_000)) }
        #expect(longer == nil || longer?.status == 413, "\(longer?.body ?? "")")
        #expect(try ProcessFigures(hub.processID).anonymousKiB < before + 16_384)
        let negations = String(repeating: #"{"not":"#, count: 1_000)
        #expect(try phone.send("POST", "\(phone.notes)/query", #"{"type":"Note","filter":"# + negations).status == 400)
        #expect(try phone.send("GET", "/v1/device").status == 200)
    }

    @Test func `SQL in every string is text`() throws {
        let attack = "'); DROP TABLE records; --"
        try phone.save("n1", attack)
        let query = #"{"type":"Note","filter":{"field":"text","equal":{"string":"\#(attack)"}}}"#
        #expect(try phone.json("POST", "\(phone.notes)/query", query)["records"]?.arrayValue?.count == 1)
        for (path, status) in [
            ("\(HubDevice.container)/zones/alice/x';DROP/changes", 404), ("\(phone.notes)/records/';DROP--", 404),
            ("\(phone.notes)/changes?token=';DROP", 400), ("\(phone.notes)/records?name=';DROP", 200),
            ("\(phone.notes)/records?name=x%20y", 400),
        ] {
            #expect(try phone.send("GET", path).status == status, "\(path)")
        }
        #expect(try phone.changes().changed == ["n1": attack])
    }

    @Test func `names and keys with SQL are names and keys`() throws {
        let attack = "');DROP/**/TABLE/**/records;--"
        let escaped = attack.utf8.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
        let zone = HubDevice.zone("alice", escaped)
        try phone.json("POST", "\(HubDevice.container)/private/zones", #"{"save":["\#(attack)"]}"#)
        let note = #"{"type":"Note","fields":{"text":{"string":"\#(attack)"},"other":{"reference":"\#(attack)"}}}"#
        let first = try phone.send("PUT", "\(zone)/records/\(escaped)", note, key: attack)
        let again = try phone.send("PUT", "\(zone)/records/\(escaped)", note, key: attack)
        #expect(first.status == 201 && again.body == first.body && again.headers["idempotency-replayed"] == "true")
        #expect(try phone.changes(in: zone).changed == [attack: attack])
        #expect(try phone.json("GET", "\(zone)/records/\(escaped)")["name"]?.stringValue == attack)
        let subscription = "\(HubDevice.container)/private/subscriptions/\(escaped)"
        try phone.json("PUT", subscription, #"{"zone":{"owner":"alice","name":"\#(attack)"}}"#, status: 204)
        let subscriptions = try phone.json("GET", "\(HubDevice.container)/private/subscriptions")["subscriptions"]
        #expect(subscriptions?.arrayValue?.compactMap { $0["name"]?.stringValue } == [attack])
        #expect(subscriptions?[0]?["zone"]?["name"]?.stringValue == attack)
        for query in [
            #"{"type":"Note","filter":{"words":"\#(attack)"}}"#,
            #"{"type":"Note","filter":{"field":"text","beginsWith":{"string":"\#(attack)"}}}"#,
        ] {
            #expect(try phone.json("POST", "\(zone)/query", query)["records"]?.arrayValue?.count == 1, "\(query)")
        }
        // What is no name is refused, and what is nobody's is not found.
        for (method, path, body, status) in [
            ("POST", "\(zone)/query", #"{"type":"\#(attack)"}"#, 400),
            ("POST", "\(zone)/query", #"{"type":"Note","filter":{"field":"\#(attack)","equal":{"integer":1}}}"#, 400),
            ("POST", "\(zone)/query?cursor=\(escaped)", #"{"type":"Note"}"#, 400),
            ("POST", "\(zone)/participants", #"{"invite":"\#(attack)","permission":"read"}"#, 400),
            ("POST", "/v1/join", #"{"code":"\#(attack)"}"#, 400),
            ("GET", "/v1/production/\(escaped)/private/changes", "", 404),
            ("GET", "/v1/\(escaped)/org.example.notes/private/changes", "", 404),
            ("GET", "\(HubDevice.container)/zones/\(escaped)/notes/changes", "", 404),
        ] {
            let answer = try phone.send(method, path, body)
            #expect(answer.status == status, "\(method) \(path) \(body): \(answer.status) \(answer.body)")
        }
        #expect(throws: (any Error).self) {
            try hub.call(HubInterface.Invite(account: attack, device: attack, seconds: nil))
        }
        try phone.save("n1", "x")
        #expect(try phone.changes().changed == ["n1": "x"])
        #expect(try phone.changes(in: zone).changed == [attack: attack])
    }

    @Test func `a device that sends bodies slowly keeps no other device of its account out`() throws {
        let laptop = try hub.join("laptop", "alice")
        var slow: [ChattyConnection] = []
        for number in 0..<100 {
            let connection = try ChattyConnection(port: hub.port)
            let length = ["Content-Length: 8000000", "Idempotency-Key: s\(number)"]
            connection.send(head("POST", "\(phone.notes)/records", [authorization] + length) + [UInt8(ascii: "{")])
            slow.append(connection)
        }
        try laptop.save("n1", "x")
        #expect(try laptop.changes().changed == ["n1": "x"])
        // They have no memory for what they have not sent.
        #expect(try ProcessFigures(hub.processID).anonymousKiB < 131_072)
        #expect(slow.count == 100)
    }

    @Test func `a token of another zone or with a changed bit is refused`() throws {
        try phone.json("POST", "\(HubDevice.container)/private/zones", #"{"save":["other"]}"#)
        try phone.save("n1", "x")
        let token = try phone.changes().token
        let other = HubDevice.zone("alice", "other")
        #expect(try phone.send("GET", "\(other)/changes?token=\(token)").status == 410)
        for index in stride(from: 0, to: token.utf8.count, by: 7) {
            var digits = Array(token.utf8)
            digits[index] = digits[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            let answer = try phone.send(
                "GET", "\(phone.notes)/changes?token=\(String(decoding: digits, as: UTF8.self))")
            #expect(answer.status == 410 && answer.json["reason"] == "foreign", "\(index)")
        }
    }

    @Test func `a hub whose key was renewed asks for everything again, and loses nothing`() throws {
        try phone.save("n1", "x")
        let token = try phone.changes().token
        try hub.stop()
        let folder = hub.folder.file("hub")
        let restored = try CompletedProcess.run(Products.program("waymark-hub"), ["restored", "--folder", folder])
        #expect(restored.status == .exited(0))
        try hub.start()
        #expect(try phone.send("GET", "\(phone.notes)/changes?token=\(token)").status == 410)
        #expect(try phone.changes().changed == ["n1": "x"])
    }

    @Test func `heads that are broken end their connection only, and leave nothing in memory`() throws {
        func flood(_ kinds: [String]) throws {
            for number in 0..<400 {
                try ChattyConnection(port: hub.port).send(Array(kinds[number % kinds.count].utf8))
            }
            #expect(try phone.send("GET", "/v1/device").status == 200)
        }
        // The hub notices the end of a connection in the middle of a head only after the idle time, and has it in memory
        // until then: these are not counted.
        try flood(["GET /v1/1", "\u{0}\u{1}\u{2}\r\n\r\n"])
        let answered = [
            "GET /v1 HTTP/1.1\r\nHost: x\r\nA: " + String(repeating: "b", count: 40_000),
            "POST /v1/join HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        ]
        func memory() throws -> Int {
            let open = Int(try hub.call(HubInterface.GetStatistics()).connections)
            return try ProcessFigures(hub.processID).anonymousKiB - open * Self.connectionKiB
        }
        try flood(answered)
        let before = try memory()
        for _ in 0..<5 { try flood(answered) }
        #expect(try memory() < before + 16_384)
    }

    /// More than a connection needs, with the memory for its head.
    private static let connectionKiB = 40

    @Test func `clients that send slowly keep nobody out`() throws {
        var slow: [ChattyConnection] = []
        for _ in 0..<200 {
            let connection = try ChattyConnection(port: hub.port)
            connection.send(Array("POST /v1/join HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{".utf8))
            slow.append(connection)
        }
        // The hub closes them after a minute in which nothing has arrived.
        #expect(try phone.send("GET", "/v1/device", seconds: 30).status == 200)
        try phone.save("n1", "x")
        #expect(slow.count == 200)
    }

    @Test func `devices that try codes are slowed down`() throws {
        var statuses: [Int] = []
        // Twenty are answered at once, and one more a second: on a busy machine half of forty may take that long.
        while statuses.count < 400, statuses.last != 429 {
            statuses.append(try hub.anybody.send("POST", "/v1/join", #"{"code":"0000-0000-0000-0000"}"#).status)
        }
        #expect(Set(statuses.dropLast()) == [403] && statuses.last == 429)
    }
}

/// A connection that stays open.
private final class ChattyConnection {
    private let socket: OwnedDescriptor

    init(port: UInt16) throws {
        guard let connection = try LoopbackPort.connection(to: port) else {
            throw HubProcess.Failure(description: "nobody listens")
        }
        socket = connection
    }

    var descriptor: Int32 { socket.number }

    func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
}
