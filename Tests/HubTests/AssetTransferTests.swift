import Cryptography
import Glibc
import Hub
import JSONText
import Platform
import TestHubs
import TestSupport
import TestTraits
import Testing

/// Assets over HTTP: uploads in parts and at once, downloads, and clients that do it wrong.
@Suite(.waits, .timeLimit(.minutes(15))) struct AssetTransferTests {
    let hub: HubProcess
    let phone: HubDevice
    let laptop: HubDevice
    let bob: HubDevice

    init() throws {
        hub = try HubProcess()
        phone = try hub.join("phone", "alice")
        laptop = try hub.join("laptop", "alice")
        bob = try hub.join("tablet", "bob")
        try phone.json("POST", "\(HubDevice.container)/private/zones", #"{"save":["notes"]}"#)
    }

    /// A file of some bytes, with the address of its upload.
    private struct File {
        let bytes: [UInt8]
        let digest: String

        init(count: Int, seed: UInt8 = 1) {
            var random = SeededGenerator(seed: UInt64(seed))
            // Visible characters, so that a response's text has the same bytes.
            bytes = random.bytes(count, asText: true)
            var hash = ContentHash()
            hash.update(bytes)
            digest = HexText.text(hash.digest)
        }

        func upload(in zone: String) -> String { "\(zone)/assets/\(digest)" }
        func asset(of record: String, in zone: String) -> String { "\(zone)/records/\(record)/assets/\(digest)" }
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    }

    private func put(
        _ file: File, _ range: Range<Int>? = nil, by device: HubDevice? = nil, to zone: String? = nil
    ) throws -> HubResponse {
        let device = device ?? phone
        let range = range ?? 0..<file.bytes.count
        let headers = ["Upload-Offset: \(range.lowerBound)", "Upload-Length: \(file.bytes.count)"]
        return try device.send(
            "PATCH", file.upload(in: zone ?? phone.notes), file.text(range), headers: headers)
    }

    private func save(_ file: File, _ record: String = "n1", by device: HubDevice? = nil) throws -> HubResponse {
        let asset = #"{"digest":"\#(file.digest)","size":\#(file.bytes.count)}"#
        return try (device ?? phone).send(
            "PUT", "\(phone.notes)/records/\(record)", #"{"type":"Note","fields":{"photo":{"asset":\#(asset)}}}"#)
    }

    @Test func `a file is uploaded at once, saved with a record, and downloaded by another device`() throws {
        let file = File(count: 3_000_000)
        let answer = try phone.send("PUT", file.upload(in: phone.notes), file.text(0..<file.bytes.count))
        #expect(answer.status == 201 && answer.headers["upload-complete"] == "?1")
        #expect(try save(file).status == 201)
        let path = file.asset(of: "n1", in: phone.notes)
        let whole = try laptop.send("GET", path)
        #expect(whole.status == 200 && whole.headers["etag"] == "\"\(file.digest)\"")
        #expect(whole.headers["content-length"] == "3000000" && whole.body == file.text(0..<3_000_000))
        let head = try laptop.send("HEAD", path)
        #expect(head.status == 200 && head.headers["content-length"] == "3000000" && head.body.isEmpty)
        #expect(try laptop.send("GET", path, headers: ["If-None-Match: \"\(file.digest)\""]).status == 304)
        for (header, range) in [
            ("bytes=5-9", 5..<10), ("bytes=2999990-", 2_999_990..<3_000_000), ("bytes=-7", 2_999_993..<3_000_000),
            ("bytes=1000000-2500000", 1_000_000..<2_500_001), ("bytes=0-99999999", 0..<3_000_000),
        ] {
            let part = try laptop.send("GET", path, headers: ["Range: \(header)"])
            #expect(part.status == 206 && part.body == file.text(range), "\(header)")
            #expect(
                part.headers["content-range"] == "bytes \(range.lowerBound)-\(range.upperBound - 1)/3000000",
                "\(header)")
        }
        for header in ["bytes=3000000-", "bytes=-0"] {
            let refused = try laptop.send("GET", path, headers: ["Range: \(header)"])
            #expect(refused.status == 416 && refused.headers["content-range"] == "bytes */3000000", "\(header)")
        }
        for header in ["bytes=9-5", "bytes=a-b", "lines=1-2", "bytes=1-2,4-5", "bytes=", "bytes=-"] {
            #expect(try laptop.send("GET", path, headers: ["Range: \(header)"]).status == 200, "\(header)")
        }
        let changed = try laptop.send("GET", path, headers: ["Range: bytes=5-9", "If-Range: \"other\""])
        #expect(changed.status == 200)
    }

    @Test func `an upload goes on where it ended, also at a hub that was killed`() throws {
        let file = File(count: 2_500_000)
        #expect(try phone.send("HEAD", file.upload(in: phone.notes)).status == 404)
        #expect(try put(file, 0..<100_000).headers["upload-offset"] == "100000")
        // A connection that breaks in the middle of a body: whole parts of a mebibyte are stored.
        let broken = try UnfinishedRequest(
            port: hub.port, "PATCH", file.upload(in: phone.notes), token: phone.token,
            ["Upload-Offset: 100000", "Content-Length: 2400000"], file.bytes[100_000..<1_300_000])
        let stored = try eventually {
            try phone.send("HEAD", file.upload(in: phone.notes)).headers["upload-offset"].flatMap { Int($0) } ?? 0
                > 1_000_000
        }
        #expect(stored)
        broken.close()
        try hub.crash()
        let progress = try laptop.send("HEAD", file.upload(in: phone.notes))
        #expect(progress.status == 204 && progress.headers["upload-complete"] == "?0")
        let offset = try #require(progress.headers["upload-offset"].flatMap { Int($0) })
        #expect((1_100_000..<1_300_001).contains(offset))
        #expect(try save(file).json["error"] == "assetNotFound")
        #expect(try put(file, offset..<2_500_000).status == 201)
        #expect(try save(file).status == 201)
        #expect(try laptop.send("GET", file.asset(of: "n1", in: phone.notes)).body == file.text(0..<2_500_000))
    }

    @Test
    func `an upload that ends with a whole part succeeds, also when another device saves the record before its end`()
        throws
    {
        let file = File(count: 1 << 20)
        let request = try UnfinishedRequest(
            port: hub.port, "PUT", file.upload(in: phone.notes), token: phone.token,
            ["Upload-Length: \(1 << 20)", "Transfer-Encoding: chunked"], [])
        #expect(request.send(Array("100000\r\n".utf8) + file.bytes + Array("\r\n".utf8)))
        let stored = try eventually {
            try laptop.send("HEAD", file.upload(in: phone.notes)).headers["upload-complete"] == "?1"
        }
        #expect(stored)
        #expect(try save(file, by: laptop).status == 201)
        #expect(request.send(Array("0\r\n\r\n".utf8)))
        let answer = try request.receive(until: "\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 201 ") && answer.contains("Upload-Complete: ?1"), "\(answer)")
        #expect(try laptop.send("GET", file.asset(of: "n1", in: phone.notes)).body == file.text(0..<1 << 20))
    }

    @Test func `pieces of a body that arrive while a part is being stored are not lost`() throws {
        let file = File(count: 2_500_000)
        let request = try UnfinishedRequest(
            port: hub.port, "PUT", file.upload(in: phone.notes), token: phone.token,
            ["Upload-Length: \(file.bytes.count)", "Transfer-Encoding: chunked"], [])
        // So short that several of them are received at once with the end of a part.
        var body: [UInt8] = []
        for start in stride(from: 0, to: file.bytes.count, by: 500) {
            body += Array("1f4\r\n".utf8) + file.bytes[start..<(start + 500)] + Array("\r\n".utf8)
        }
        #expect(request.send(body + Array("0\r\n\r\n".utf8)))
        let answer = try request.receive(until: "\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 201 ") && answer.contains("Upload-Complete: ?1"), "\(answer)")
        #expect(try save(file).status == 201)
        #expect(try laptop.send("GET", file.asset(of: "n1", in: phone.notes)).body == file.text(0..<file.bytes.count))
    }

    @Test func `wrong parts are refused with what is right`() throws {
        let file = File(count: 100)
        let path = file.upload(in: phone.notes)
        #expect(try phone.send("PATCH", path, "x").status == 400)
        #expect(try phone.send("PATCH", path, "x", headers: ["Upload-Offset: 0"]).status == 400)
        for text in ["-1", "x", "99999999999999999999", "1.5"] {
            let answer = try phone.send("PATCH", path, "x", headers: ["Upload-Offset: \(text)", "Upload-Length: 100"])
            #expect(answer.status == 400, "\(text)")
        }
        let beyond = try phone.send("PATCH", path, "x", headers: ["Upload-Offset: 101", "Upload-Length: 100"])
        #expect(beyond.status == 409 && beyond.headers["upload-offset"] == "0")
        #expect(try put(file, 0..<50).status == 204)
        let again = try put(file, 0..<50)
        #expect(again.status == 409 && again.headers["upload-offset"] == "50")
        #expect(again.json["error"] == "uploadOffsetDiffers")
        let other = try phone.send("PATCH", path, "x", headers: ["Upload-Offset: 50", "Upload-Length: 60"])
        #expect(other.status == 409 && other.json["error"] == "uploadSizeDiffers")
        // A body that is longer than the rest is refused before it is received.
        let long = String(repeating: "x", count: 51)
        #expect(try phone.send("PATCH", path, long, headers: ["Upload-Offset: 50"]).status == 413)
        let wrong = try phone.send("PATCH", path, String(repeating: "x", count: 50), headers: ["Upload-Offset: 50"])
        #expect(wrong.status == 422 && wrong.json["error"] == "digestDiffers")
        #expect(try phone.send("HEAD", path).status == 404)
        let large = try phone.send("PATCH", path, headers: ["Upload-Offset: 0", "Upload-Length: \(1 << 40)"])
        #expect(large.status == 413 && large.json["limit"] == "assetBytes" && large.json["most"] == 262_144_000)
        for name in ["0", String(repeating: "A", count: 64), String(repeating: "0", count: 66), "%00"] {
            #expect(try phone.send("PUT", "\(phone.notes)/assets/\(name)", "x").status == 404, "\(name)")
        }
        #expect(try put(file).status == 201)
        #expect(try phone.send("DELETE", path).status == 204)
        #expect(try phone.send("DELETE", path).status == 404)
    }

    @Test func `a body in pieces that is longer than the asset is cut off, and costs no memory`() throws {
        let file = File(count: 2_000_000)
        let before = try ProcessFigures(hub.processID).anonymousKiB
        let piece = Array("10000\r\n".utf8) + [UInt8](repeating: 0x20, count: 65_536) + Array("\r\n".utf8)
        let request = try UnfinishedRequest(
            port: hub.port, "PATCH", file.upload(in: phone.notes), token: phone.token,
            ["Upload-Offset: 0", "Upload-Length: 2000000", "Transfer-Encoding: chunked"], [])
        var isOpen = true
        var pieces = 0
        while isOpen, pieces < 600 {
            isOpen = request.send(piece)
            pieces += 1
        }
        #expect(!isOpen)
        #expect(try ProcessFigures(hub.processID).anonymousKiB < before + 20_480)
        #expect(try phone.send("GET", "/v1/device").status == 200)
    }

    @Test func `uploads that stand still keep nobody out`() throws {
        var slow: [UnfinishedRequest] = []
        for number in 0..<60 {
            // The rest of each never follows.
            let file = File(count: 1_000, seed: UInt8(number + 1))
            slow.append(
                try UnfinishedRequest(
                    port: hub.port, "PUT", file.upload(in: phone.notes), token: phone.token,
                    ["Content-Length: 5000000"], file.bytes[...]))
        }
        // The hub closes them after a minute in which nothing has arrived.
        #expect(try laptop.send("GET", "/v1/device", seconds: 30).status == 200)
        #expect(try bob.send("GET", "/v1/device", seconds: 30).status == 200)
        let file = File(count: 10, seed: 99)
        try bob.json("POST", "\(HubDevice.container)/private/zones", #"{"save":["notes"]}"#)
        #expect(try put(file, by: bob, to: bob.notes).status == 201)
        #expect(slow.count == 60)
    }

    @Test func `begun uploads are limited, and a limit says its number`() throws {
        var statuses: [Int: Int] = [:]
        for number in 0..<1_100 {
            let digest = HexText.text(
                [UInt8](repeating: 7, count: 28) + withUnsafeBytes(of: UInt32(number).bigEndian, Array.init))
            let answer = try phone.send(
                "PATCH", "\(phone.notes)/assets/\(digest)", headers: ["Upload-Offset: 0", "Upload-Length: 10"])
            statuses[answer.status, default: 0] += 1
            if answer.status == 413 { #expect(answer.json["limit"] == "uploads" && answer.json["most"] == 1_000) }
        }
        #expect(statuses == [204: 1_000, 413: 100])
    }

    @Test func `a digest opens nothing for another account`() throws {
        let file = File(count: 1_000)
        #expect(try put(file).status == 201)
        #expect(try save(file).status == 201)
        let path = file.asset(of: "n1", in: phone.notes)
        for (device, status) in [(bob, 403), (hub.anybody, 401)] {
            #expect(try device.send("GET", path).status == status)
            #expect(try device.send("HEAD", file.upload(in: phone.notes)).status == status)
            #expect(try put(file, by: device).status == status)
        }
        try bob.json("POST", "\(HubDevice.container)/private/zones", #"{"save":["notes"]}"#)
        // The whole is uploaded again, whether or not the hub has it.
        let begun = try put(file, 0..<1, by: bob, to: bob.notes)
        #expect(begun.status == 204 && begun.headers["upload-offset"] == "1")
        #expect(try bob.send("GET", file.asset(of: "n1", in: bob.notes)).status == 404)
    }

    @Test func `a part that is refused before its body has its answer after the body, on a connection that stays open`()
        throws
    {
        // More than a connection has room for, so that all of it is sent only to a hub that receives it.
        let file = File(count: 7_000_000)
        let head = ["Upload-Offset: 5", "Upload-Length: 7000000", "Content-Length: 6999995"]
        let request = try UnfinishedRequest(
            port: hub.port, "PATCH", file.upload(in: phone.notes), token: phone.token, head, [])
        #expect(request.send(Array(file.bytes[5...])))
        let answer = try request.receive(until: "\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 409 ") && answer.contains("Upload-Offset: 0"), "\(answer)")
        #expect(request.send(Array("GET /v1 HTTP/1.1\r\nHost: x\r\n\r\n".utf8)))
        #expect(try request.receive(until: "\r\n\r\n").contains("HTTP/1.1 200 "))
        // One that is too long for that has its answer before, although all of it is sent before the answer is read.
        let large = File(count: 64_000_000)
        let early = try HTTPExchange.perform(
            "PATCH", large.upload(in: phone.notes),
            headers: ["Authorization: Bearer \(phone.token ?? "")", "Upload-Offset: 5", "Upload-Length: 64000000"],
            body: Array(large.bytes[5...]), port: hub.port)
        #expect(early?.status == 409 && early?.headers["upload-offset"] == "0")
        // Who asks before is answered before.
        let asking = try UnfinishedRequest(
            port: hub.port, "PATCH", file.upload(in: phone.notes), token: phone.token,
            head + ["Expect: 100-continue"], [])
        #expect(try asking.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 409 "))
    }

    @Test(.enabled(if: SmallDisk.isPossible, "needs the right to mount a tmpfs, which root has"))
    func `on a full disk parts are refused with 503, what was stored is read, and uploads go on when there is room`()
        throws
    {
        let disk = try SmallDisk(kibibytes: 24 << 10)
        let hub = try HubProcess(store: "\(disk.path)/hub")
        let phone = try hub.join("phone", "alice")
        try phone.json("POST", "\(HubDevice.container)/private/zones", #"{"save":["notes"]}"#)
        let (first, file) = (File(count: 1_000_000, seed: 2), File(count: 16_000_000))
        #expect(try put(first, by: phone).status == 201)
        #expect(try save(first, "n1", by: phone).status == 201)
        #expect(try put(file, 0..<100_000, by: phone).status == 204)
        try disk.fill(butFor: 2_500)
        // All of the rest: the parts for which there is room are stored.
        let refused = try put(file, 100_000..<16_000_000, by: phone)
        #expect(refused.status == 503 && refused.headers["retry-after"] == "5")
        #expect(refused.json["error"] == "temporarilyUnavailable")
        #expect(hub.log.contains("Free some space on the disk"), "\(hub.log)")
        let offset = try #require(
            try phone.send("HEAD", file.upload(in: phone.notes)).headers["upload-offset"].flatMap { Int($0) })
        #expect(offset > 100_000 && offset < 3_000_000, "\(offset)")
        try disk.fill()
        #expect(try put(file, offset..<16_000_000, by: phone).status == 503)
        #expect(try save(first, "n2", by: phone).status == 503)
        #expect(try phone.send("GET", first.asset(of: "n1", in: phone.notes)).body == first.text(0..<1_000_000))
        try hub.crash()
        #expect(try phone.send("HEAD", file.upload(in: phone.notes)).headers["upload-offset"] == "\(offset)")
        // Far more than a connection has room for follows the part that is refused.
        let large = File(count: 24_000_000, seed: 3)
        #expect(try put(large, by: phone).status == 503)
        disk.free()
        #expect(try put(file, offset..<16_000_000, by: phone).status == 201)
        #expect(try save(file, "n2", by: phone).status == 201)
        #expect(try phone.send("GET", file.asset(of: "n2", in: phone.notes)).body == file.text(0..<16_000_000))
    }

    @Test func `a download ends when the record is deleted`() throws {
        let file = File(count: 40_000_000)
        #expect(try put(file).status == 201)
        #expect(try save(file).status == 201)
        let request = try UnfinishedRequest(
            port: hub.port, "GET", file.asset(of: "n1", in: phone.notes), token: laptop.token, [], [])
        #expect(try request.receive(1_000_000) >= 1_000_000)
        #expect(try phone.send("DELETE", "\(phone.notes)/records/n1").status == 200)
        #expect(try request.receive(60_000_000) < 40_000_000)
    }
}

/// A request that is not complete, on a connection that is open until it is closed.
private final class UnfinishedRequest {
    private var socket: OwnedDescriptor?

    init(
        port: UInt16, _ method: String, _ path: String, token: String?, _ headers: [String], _ body: ArraySlice<UInt8>
    ) throws {
        socket = try LoopbackPort.connection(to: port)
        let lines = ["\(method) \(path) HTTP/1.1", "Host: x", "Authorization: Bearer \(token ?? "")"] + headers
        _ = send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    /// Sends bytes; false once the other side has closed the connection.
    func send(_ bytes: [UInt8]) -> Bool {
        guard let number = socket?.number else { return false }
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Receives so many bytes, or until the connection is closed. Returns how many.
    func receive(_ most: Int) throws -> Int {
        var received = 0
        try receive { bytes in
            received += bytes.count
            return received < most
        }
        return received
    }

    /// Receives until there is this text, or until the connection is closed.
    func receive(until end: String) throws -> String {
        var text = ""
        try receive { bytes in
            text += String(decoding: bytes, as: UTF8.self)
            return !text.contains(end)
        }
        return text
    }

    /// Passes on what comes, until the body returns false.
    private func receive(_ body: (ArraySlice<UInt8>) -> Bool) throws {
        guard let number = socket?.number else { return }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let deadline = PollDeadline(seconds: 30)
        while try deadline.poll(number, for: POLLIN) {
            let count = recv(number, &buffer, buffer.count, 0)
            guard count > 0, body(buffer[..<count]) else { break }
        }
    }

    func close() { socket = nil }
}
