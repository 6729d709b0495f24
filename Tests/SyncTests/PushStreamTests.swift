import Glibc
import Hub
import Platform
import Records
import SyncInterface
import TestHubs
import TestSupport
import TestTraits
import Testing

@testable import Sync

/// Pushes as a stream of events, and as requests that wait where a proxy collects responses.
@Suite(.waits, .timeLimit(.minutes(15))) struct PushStreamTests {
    @Test func `events are read in whatever pieces they arrive`() {
        let stream =
            PushEvents.beginning + PushEvents.event(Array(#"{"pushes":[]}"#.utf8))
            + Array(": \r\ndata:a\rdata: b\r\n\r\nevent: x\n\ndata: rest\n".utf8)
        let expected = [#"{"pushes":[]}"#, "a\nb"]
        for size in 1...stream.count {
            var reader = PushEventReader()
            var found: [[UInt8]] = []
            for start in stride(from: 0, to: stream.count, by: size) {
                found += reader.events(after: Array(stream[start..<min(start + size, stream.count)]))
            }
            #expect(found.map { String(decoding: $0, as: UTF8.self) } == expected, "\(size)")
            #expect(!reader.isTooLong)
        }
        var endless = PushEventReader()
        for _ in 0..<5 { _ = endless.events(after: [UInt8](repeating: 0x61, count: 1 << 20)) }
        #expect(endless.isTooLong)
    }

    @Test func `a stream of which nothing arrives is given up until the network is another one`() {
        var channel = PushChannel()
        channel.begin(at: 100)
        let deadline = channel.deadline ?? 0
        #expect(deadline == 15_000_000_100)
        let isEarly = channel.expire(at: deadline - 1)
        #expect(!isEarly && channel.streams)
        let isGivenUp = channel.expire(at: deadline)
        #expect(isGivenUp && !channel.streams)
        channel.begin(at: deadline)
        let isExpired = channel.expire(at: .max)
        #expect(channel.deadline == nil && !isExpired)
        let isPollShort = channel.end(at: deadline + 1)
        #expect(!isPollShort)
        channel.networkChanged()
        channel.begin(at: 0)
        channel.hear(events: 0)
        #expect(channel.deadline == nil && channel.streams)
        // One that ends at once is not begun again at once, unless it had an event.
        let isShort = channel.end(at: 4_999_999_999)
        #expect(isShort)
        channel.begin(at: 0)
        channel.hear(events: 0)
        let isLong = channel.end(at: 5_000_000_000)
        #expect(!isLong)
        channel.begin(at: 0)
        channel.hear(events: 1)
        let isUseful = channel.end(at: 1)
        #expect(!isUseful)
    }

    /// A proxy in front of a hub: nginx as a user without rights.
    private final class Proxy {
        let folder: TemporaryDirectory
        let port: LoopbackPort
        private let process: ChildProcess

        static let path = "/usr/sbin/nginx"
        static var isInstalled: Bool { access(path, X_OK) == 0 }

        init(of hub: HubProcess, _ settings: String) throws {
            let folder = try TemporaryDirectory()
            let port = try LoopbackPort()
            (self.folder, self.port) = (folder, port)
            chmod(folder.path, 0o777)
            let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
                "\($0)_temp_path \(folder.file($0));"
            }
            let text = """
                daemon off; pid \(folder.file("pid")); error_log \(folder.file("error"));
                events { worker_connections 256; }
                http {
                    access_log \(folder.file("access")); \(paths.joined(separator: " "))
                    server {
                        listen 127.0.0.1:\(port.number);
                        location / {
                            proxy_pass http://127.0.0.1:\(hub.port); proxy_read_timeout 320s; client_max_body_size 8m;
                            \(settings)
                        }
                    }
                }
                """
            let file = try folder.write("nginx.conf", text)
            chmod(file, 0o644)
            let user = getuid() == 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
            let command = user + [Self.path, "-e", folder.file("error"), "-c", file]
            process = try ChildProcess(
                ChildProcess.Launch(command[0], Array(command.dropFirst()), isGuarded: true))
            let serves = try eventually(within: 30) { try LoopbackPort.connection(to: port.number) != nil }
            guard serves else { throw HubProcess.Failure(description: "nginx does not serve: \(read("error"))") }
        }

        deinit { _ = try? process.terminate(graceSeconds: 5) }

        /// How many requests for pushes have ended.
        var ended: Int { read("access").split(separator: "\n").filter { $0.contains("GET /v1/pushes") }.count }

        private func read(_ name: String) -> String {
            attempt { String(decoding: try BoundedFile.bytes(of: folder.file(name), limit: 1 << 20), as: UTF8.self) }
                ?? ""
        }
    }

    private static func machines(_ hub: HubProcess, _ proxy: Proxy) throws -> (laptop: SyncProcess, phone: SyncProcess)
    {
        let (laptop, phone) = (try SyncProcess(), try SyncProcess())
        try laptop.join(hub, as: "laptop", address: "http://localhost:\(proxy.port.number)")
        try phone.join(hub, as: "phone")
        try phone.makeZone()
        _ = try laptop.call(SyncInterface.ListZones(container: SyncProcess.container))
        return (laptop, phone)
    }

    @Test(
        .enabled(if: Proxy.isInstalled, "nginx is not installed"),
        arguments: ["proxy_buffering off;", "proxy_buffering on; gzip off;"])
    func `one stream carries many pushes, also through a proxy`(settings: String) throws {
        let hub = try HubProcess()
        let proxy = try Proxy(of: hub, settings)
        let (laptop, phone) = try Self.machines(hub, proxy)
        var notes: [String: String] = [:]
        for number in 0..<4 {
            notes["n\(number)"] = "milk"
            try phone.save("n\(number)", "milk")
            try phone.synchronize()
            try laptop.waitForNotes(notes)
        }
        // The hub has been notified of each, and the same request still waits.
        #expect(proxy.ended == 0, "\(proxy.ended) requests for pushes have ended")
        let isAcknowledged = try eventually {
            try hub.call(HubInterface.GetStatistics()).waiting == 2
        }
        #expect(isAcknowledged)
        #expect(!laptop.log.contains("does not pass on"))
        // A removed device is disconnected.
        _ = try hub.call(HubInterface.Remove(account: "alice", device: "laptop"))
        let isRemoved = try eventually { try laptop.status().state == .removed }
        #expect(isRemoved)
    }

    @Test(.enabled(if: Proxy.isInstalled, "nginx is not installed"))
    func `behind a proxy that collects responses, requests wait for pushes`() throws {
        let hub = try HubProcess()
        let proxy = try Proxy(of: hub, "proxy_buffering on; proxy_ignore_headers X-Accel-Buffering;")
        let (laptop, phone) = try Self.machines(hub, proxy)
        let isGivenUp = eventually { laptop.log.contains("does not pass on a stream of pushes") }
        #expect(isGivenUp, "\(laptop.log)")
        try phone.save("n1", "milk")
        try laptop.waitForNotes(["n1": "milk"])
        #expect(proxy.ended >= 1)
        try phone.save("n2", "bread")
        try laptop.waitForNotes(["n1": "milk", "n2": "bread"])
    }
}
