import CLinux
import Glibc
import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing

/// A server that is being updated, or its proxy, refuses everything for a while; and one that never responds.
@Suite(.waits, .timeLimit(.minutes(15))) struct UploadRefusalTests {
    @Test(arguments: [("geojson", "404"), ("overland", "413"), ("owntracks", "400")])
    func `a server that refuses everything for a while gets all positions afterwards, without a dead letter`(
        _ format: String, _ status: String
    ) throws {
        let scene = try UploadScene(server: ["--fail", status])
        defer { scene.end() }
        try scene.start(scene.configuration(format))
        try scene.eventually("it is blocked") { try scene.upload()?.status.reason == "everythingRejected" }
        try scene.eventually("a backlog") { try scene.recording()?.waiting ?? 0 > 20 }
        #expect(try scene.upload()?.deadLetters == 0)
        // Positions that were tried are not lost with the process either. The daemon has the status of the earlier process until the
        // next one has reported.
        try scene.uploader?.kill()
        let refusals = scene.uploader.map { Self.refusals($0.log) } ?? 0
        try scene.uploader?.restart()
        try scene.eventually("it is blocked again") { scene.uploader.map { Self.refusals($0.log) } ?? 0 > refusals }
        try scene.upload("that is reported") { $0.isRunning && $0.status.reason == "everythingRejected" }
        #expect(try scene.upload()?.deadLetters == 0)
        try scene.server.kill()
        let available = ContinuousClock.now
        try scene.server.restart()
        // On a slow machine the minute of the block may be over, and everything sent, before the command arrives.
        let reported = try scene.waymark("uploads", "flush", "home", "--timeout", "60")
        #expect(reported.contains("sent") || reported.contains("no position was pending"), "\(reported)")
        try scene.waitUntilDrained()
        let last = try #require(try scene.recording()?.last)
        let numbers = try scene.numbers()
        #expect(numbers.sorted() == Array(1...last))
        // Those that were tried out of order arrive before the others; apart from them and from those that are sent
        // ahead, all is in order.
        let descents = zip(numbers, numbers.dropFirst()).filter { $0 > $1 }.count
        #expect(descents <= 1 + ArrivalOrder.mostAhead(since: available), "\(numbers)")
        #expect(try scene.upload()?.deadLetters == 0)
        #expect(try scene.server.stop()["duplicates"]?.integerValue == 0)
    }

    /// How often a log says that everything is refused.
    private static func refusals(_ log: String) -> Int {
        log.split(separator: "\n").count { $0.contains("the destination refuses every position") }
    }

    @Test func `a server that does not respond is reported after ten seconds`() throws {
        let scene = try UploadScene(server: ["--delay", "3600"])
        defer { scene.end() }
        try scene.start(scene.configuration("overland"))
        let upload = try scene.upload("the missing response is reported") { $0.status.reason == "noAnswer" }
        #expect(upload.status.unansweredSince != nil)
        #expect(try scene.waymark("uploads").contains("no response for"))
    }

    @Test func `a broker that accepts the connection and does not respond is reported after ten seconds`() throws {
        let scene = try UploadScene()
        defer { scene.end() }
        var port: UInt16 = 0
        let socket = try Self.listen(at: &port)
        try scene.start(
            scene.configuration("owntracks").replacing(
                "URL=\(scene.server.address)/owntracks?secret=geheim", with: "URL=mqtt://127.0.0.1:\(port)"))
        let upload = try scene.upload("the missing response is reported") { $0.status.reason == "noAnswer" }
        #expect(upload.status.unansweredSince != nil)
        #expect(try scene.waymark("uploads").contains("no response for"))
        #expect(socket.number >= 0, "it listens until here")
    }

    /// A socket at a port of 127.0.0.1: the kernel completes connections to it, and nobody ever accepts them.
    private static func listen(at port: inout UInt16) throws -> OwnedDescriptor {
        let socket = try OwnedDescriptor("make a socket") {
            Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try retrying("listen") {
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    let isListening = bind(socket.number, $0, size) == 0 && Glibc.listen(socket.number, 16) == 0
                    return isListening ? getsockname(socket.number, $0, &size) : -1
                }
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        return socket
    }
}
