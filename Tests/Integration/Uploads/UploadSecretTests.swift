import Glibc
import Interfaces
import JSONText
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Secrets of an upload and coordinates of its positions exist only where they belong: logs, replies, output that other
/// users can read, and stored files are searched for them.
@Suite(
    .waits, .timeLimit(.minutes(15)),
    .enabled(
        if: OtherUser.isPossible && TestCertificates.isPossible,
        "reading as another user needs root; certificates need openssl"))
struct UploadSecretTests {
    private static let password = "Pa55-word.geheim-eins"
    private static let token = "tok3n-geheim-zwei"
    private static let hook = "h00k-geheim-drei"
    private static let query = "qu3ry-geheim-vier"
    private static let user = "us3r-geheim-funf"
    private static let box = "b0x-key-geheim-sechs"

    /// A readable text, with its name.
    private struct Surface {
        let name: String
        let bytes: [UInt8]

        init(_ name: String, _ text: String) { (self.name, bytes) = (name, Array(text.utf8)) }
        init(_ name: String, _ bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

        func contains(_ text: String) -> Bool { Bytes.contains(Array(text.utf8), in: bytes) }

        /// Whether a number is in it, not as the end of a longer one.
        func containsNumber(_ text: String) -> Bool { Bytes.containsNumber(text, in: bytes) }
    }

    private func configuration(_ url: String, _ format: String, _ credential: String) -> String {
        UploadScene.file(destination: "URL=\(url)\nFormat=\(format)\nTimeout=5s", credential: credential)
    }

    /// All texts of a scene that are readable without access to its credentials, its recordings or its traffic.
    private func surfaces(_ scene: UploadScene, _ heard: [Surface]) throws -> [Surface] {
        var found = heard
        let uploader = try #require(scene.uploader)
        found.append(Surface("the uploader's log", uploader.log))
        found.append(Surface("the daemon's log", scene.daemon.log))
        for (name, process) in [("uploader", uploader.processID), ("daemon", scene.daemon.processID)] {
            let line = try OtherUser.act { try BoundedFile.bytes(of: "/proc/\(process)/cmdline", limit: 65_536) }
            found.append(Surface("the \(name)'s command line", line))
            // Nobody else may read it; and authorized readers find only the paths of the secrets.
            let error = #expect(throws: SystemError.self) {
                try OtherUser.act { try BoundedFile.bytes(of: "/proc/\(process)/environ", limit: 65_536) }
            }
            #expect(error?.code == EACCES)
            found.append(
                Surface(
                    "the \(name)'s environment", try BoundedFile.bytes(of: "/proc/\(process)/environ", limit: 65_536)))
        }
        for words in [
            ["status"], ["status", "--json"], ["uploads"], ["uploads", "--json"], ["log"], ["log", "--json"],
            ["apps"], ["apps", "--json"], ["recording", "list"], ["recording", "list", "--json"], ["metrics"],
            ["doctor", "--timeout", "1"],
        ] { found.append(Surface("waymark \(words.joined(separator: " "))", try scene.waymark(words))) }
        for name in DirectoryListing.names(scene.daemon.directory.file("state")) {
            let file = scene.daemon.directory.file("state/\(name)")
            found.append(Surface(name, try BoundedFile.bytes(of: file, limit: 64 << 20)))
        }
        return found
    }

    /// The daemon's replies to unauthorized calls and to calls about unknown names.
    private func refusals(_ scene: UploadScene) throws -> [Surface] {
        let stranger = try scene.apps.program("stranger")
        let client = try AppClient(stranger, to: scene.daemon.socketPath)
        var found: [Surface] = []
        for (method, parameters) in [
            (UploadsInterface.Method.list.rawValue, "{}"),
            (UploadsInterface.Method.flush.rawValue, #"{"name":"home"}"#),
            (RecordingInterface.Method.read.rawValue, #"{"identifier":"home"}"#),
        ] {
            let reply = try client.call(method, parameters)
            #expect(reply.error != nil, "\(method)")
            found.append(
                Surface(
                    "the reply to \(method)",
                    "\(reply.error ?? "") " + String(decoding: reply.parameters.bytes, as: UTF8.self)))
        }
        try client.kill()
        return found
    }

    @Test func `no secret and no coordinate is in a log, a status, an event, an error, a process list or the journal`()
        throws
    {
        let certificates = try TestCertificates()
        let key = try certificates.credential(certificates.identity("DNS:client"))
        let directory = try TemporaryDirectory()
        let tokens = try directory.write("token", Self.token + "\n")
        // Refuses a position, in words, and all that come without the token.
        let scene = try UploadScene(server: ["--expect-token", tokens, "--reject", "15"])
        defer { scene.end() }
        let server = scene.server.address
        var heard: [Surface] = []
        func hear(_ name: String) throws {
            heard.append(Surface("uploads, \(name)", try scene.waymark(["uploads", "--json"])))
        }

        // A password that is not accepted, with the address's own secrets.
        try scene.start(
            configuration(
                "\(server)/geojson?hook={secret}&key=\(Self.query)", "geojson",
                "Kind=basic\nName=password\nSecret=hook"),
            credentials: [
                "password": "\(Self.user):\(Self.password)\n", "token": "\(Self.token)\n", "hook": "\(Self.hook)\n",
                "key.pem": key, "box": "\(Self.box)\n",
            ])
        try scene.eventually("refused") {
            let state = try scene.upload()?.status.state
            return state == "blocked" || state == "backingOff"
        }
        try hear("with a password")
        // Nobody listens there, and the message is sealed.
        try scene.uploader?.reload(
            configuration(
                "http://127.0.0.1:1/{secret}", "owntracks",
                "Kind=bearer\nName=token\nSecret=hook\nEncryption=box"))
        try scene.eventually("nobody there") { try scene.upload()?.status.reason == "connect" }
        try hear("with nobody there")
        // A file that does not count, and credentials that cannot be used.
        try scene.uploader?.reload(
            configuration("https://\(Self.user):\(Self.password)@127.0.0.1/\(Self.hook)", "geojson", ""))
        try scene.eventually("not applied") { scene.uploader?.log.contains("configuration not applied") == true }
        try scene.uploader?.reload(configuration("\(server)/geojson", "geojson", "Kind=bearer\nName=key.pem"))
        try scene.eventually("unusable") { try scene.upload()?.status.reason == "notConfigured" }
        try hear("with an unusable credential")
        // A server without TLS, to which the certificate is not shown.
        try scene.uploader?.reload(
            configuration(
                server.replacing("http:", with: "https:") + "/geojson?key=\(Self.query)", "geojson",
                "Kind=certificate\nName=key.pem"))
        try scene.eventually("no TLS") {
            let status = try scene.upload()?.status
            return status?.state == "backingOff" && status?.destination?.hasPrefix("https:") == true
        }
        try hear("with a certificate")
        // Now the upload works, except for one position.
        try scene.uploader?.reload(
            configuration("\(server)/geojson?key=\(Self.query)", "geojson", "Kind=bearer\nName=token"))
        try scene.waitForPoints(40)
        try scene.eventually("a dead letter") { try scene.upload()?.deadLetters == 1 }
        try scene.waitUntilDrained()

        let surfaces = try surfaces(scene, heard + refusals(scene))
        #expect(surfaces.count > 20)
        // The texts have the expected contents.
        #expect(surfaces.contains { $0.name == "waymark uploads --json" && $0.contains(server) })
        #expect(surfaces.contains { $0.name.hasPrefix("journal.db") && $0.contains("uploadFailed") })
        let secrets =
            [Self.password, Self.token, Self.hook, Self.query, Self.user, Self.box]
            // The base64(1) encodings of the user with the password, and of the common prefix.
            + ["geheim", "dXMzci1nZWhlaW0tZnVuZjpQYTU1LXdvcmQuZ2VoZWltLWVpbnM="]
            + key.split(separator: "\n").map(String.init).filter { $0.utf8.count > 40 && !$0.hasPrefix("-----") }
        #expect(secrets.count > 10)
        for surface in surfaces {
            for secret in secrets { #expect(!surface.contains(secret), "\(secret) is in \(surface.name)") }
        }

        let file = try BoundedFile.bytes(of: scene.server.file, limit: 64 << 20)
        let points = try file.split(separator: 0x0A).map { try JSON.parse(Array($0)) }
        let coordinates = Set(
            points.flatMap { [$0["latitude"]?.numberValue, $0["longitude"]?.numberValue].compactMap(\.self) }.map {
                // The coordinates rounded to some hundred metres, which would be found as well.
                let text = "\($0)"
                let dot = text.firstIndex(of: ".") ?? text.endIndex
                return String(text.prefix(text.distance(from: text.startIndex, to: dot) + 4))
            })
        #expect(points.count >= 40 && !coordinates.isEmpty && coordinates.allSatisfy { $0.utf8.count >= 5 })
        #expect(coordinates.allSatisfy(Surface("the server's file", file).containsNumber))
        for surface in surfaces {
            for number in coordinates { #expect(!surface.containsNumber(number), "a coordinate is in \(surface.name)") }
        }
    }
}
