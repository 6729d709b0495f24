import Glibc
import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing

/// Authentication between a destination and an uploader, in the real programs: wrong certificates, and credentials
/// of the service. Every refusal is reported with its cause, and no pending position is lost.
@Suite(
    .waits, .timeLimit(.minutes(15)),
    .enabled(if: TLSServer.isPossible && BrokerProcess.isPossible, "openssl, python3 and mosquitto are needed"))
struct UploadTLSTests {
    enum Carrier: String, CaseIterable, Sendable {
        case https, mqtts
    }

    /// A server, or a broker, that TLS leads to.
    private enum Destination {
        case server(TLSServer, UploadServerProcess)
        case broker(BrokerProcess)

        init(_ carrier: Carrier, _ scene: UploadScene, _ identity: TestCertificates.Identity, _ authority: String?)
            throws
        {
            switch carrier {
            case .https:
                let front = try TLSServer(identity, demanding: authority, before: scene.server.port)
                self = .server(front, scene.server)
            case .mqtts: self = .broker(try BrokerProcess(.init(identity: identity, authority: authority)))
            }
        }

        /// Shows another certificate from now on, and demands one by this authority.
        func show(_ identity: TestCertificates.Identity, _ authority: String?) throws {
            switch self {
            case .server(let front, _): try front.restart(identity, demanding: authority)
            case .broker(let broker): try broker.restart(.init(identity: identity, authority: authority))
            }
        }

        var settings: String {
            switch self {
            case .server(let front, _): "URL=https://localhost:\(front.port)/geojson\nFormat=geojson"
            case .broker(let broker): "URL=mqtts://localhost:\(broker.encryptedPort)\nFormat=owntracks"
            }
        }

        /// The ids of the received points, each as often as it arrived.
        func ids() throws -> [String] {
            switch self {
            case .server(_, let server): try server.storedIDs()
            case .broker(let broker): broker.ids
            }
        }

        func end() throws {
            if case .broker(let broker) = self { try broker.end() }
        }
    }

    private let certificates: TestCertificates
    private let others: TestCertificates

    init() throws {
        certificates = try TestCertificates()
        others = try TestCertificates()
    }

    private func configuration(_ destination: Destination, _ credential: String) -> String {
        UploadScene.file(
            destination: "\(destination.settings)\nCAFile=\(certificates.authority)\nTimeout=30s",
            credential: credential)
    }

    /// Waits until every channel reports that the upload does not continue, and why: the daemon's reply, `waymark
    /// uploads`, the log, and systemd's status.
    private func expectReported(
        _ sentence: String, _ reason: UploadsInterface.Reason, _ scene: UploadScene, _ notifications: NotificationSocket
    ) throws {
        var attempts = 0
        try scene.eventually("“\(sentence)” is reported") {
            let status = try scene.upload()?.status
            if status?.reason == reason, status?.message?.contains(sentence) == true { return true }
            // A flush replaces waiting for the next attempt; each attempt reports again.
            attempts += 1
            if attempts % 200 == 0 { try scene.command(.flush) }
            return false
        }
        try scene.eventually("“\(sentence)” is said to people") {
            // It is put into lines there.
            try scene.waymark("uploads").split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(sentence)
        }
        #expect(scene.uploader?.log.contains(sentence) == true, "\(scene.uploader?.log ?? "")")
        #expect(try notifications.next { $0.contains(sentence) } != nil, "systemd's status says it too")
        // During an attempt the upload briefly has no failure.
        try scene.eventually("status counts it") { try scene.waymark("status").contains("1 failing") }
    }

    /// Everything that was recorded has arrived, once.
    private func expectAllArrived(_ scene: UploadScene, _ destination: Destination) throws {
        try scene.waitUntilDrained()
        let recording = try #require(try scene.recording())
        #expect(recording.dropped == 0 && recording.deadLetters == 0)
        let all = Set((1...recording.last).map { "\(recording.id)/\($0)" })
        try scene.eventually("all has come") { try Set(destination.ids()) == all }
        let ids = try destination.ids()
        #expect(ids.count == all.count, "each once")
        #expect(recording.last > 5)
    }

    @Test(arguments: Carrier.allCases)
    func `each flaw of a certificate is reported as what it is, and all is sent once it is corrected`(
        _ carrier: Carrier
    ) throws {
        let scene = try UploadScene()
        defer { scene.end() }
        let good = try certificates.identity()
        let destination = try Destination(carrier, scene, others.identity(), nil)
        let notifications = try NotificationSocket(scene.apps.directory.file("notify"))
        let foreign = try others.credential(others.identity("DNS:client"))
        try scene.start(
            configuration(destination, "Kind=certificate\nName=boat.pem"), credentials: ["boat.pem": foreign],
            environment: ["NOTIFY_SOCKET": scene.apps.directory.file("notify")])

        try expectReported("from an authority that is not trusted", "tls", scene, notifications)
        try destination.show(certificates.identity(days: -1), nil)
        try expectReported("certificate has expired", "tls", scene, notifications)
        try destination.show(certificates.identity("DNS:elsewhere.example"), nil)
        try expectReported("certificate is for another name", "tls", scene, notifications)
        try destination.show(good, certificates.authority)
        try expectReported("does not accept the certificate of this machine", "tls", scene, notifications)
        #expect(try destination.ids().isEmpty)

        let own = try certificates.credential(certificates.identity("DNS:client", called: "boat"))
        try scene.uploader?.writeCredential("boat.pem", own)
        switch carrier {
        case .https: try scene.uploader?.reload(configuration(destination, "Kind=certificate\nName=boat.pem"))
        case .mqtts:
            let end = try scene.uploader?.stop()
            #expect(end == .exited(0), "\(scene.uploader?.log.suffix(4_000) ?? "")")
            try scene.uploader?.restart()
        }
        try scene.eventually("it continues") { try destination.ids().count > 5 }
        try expectAllArrived(scene, destination)
        let key = own.split(separator: "\n").filter { $0.utf8.count > 40 }
        let logs = "\(scene.uploader?.log ?? "")\(scene.daemon.log)"
        #expect(!key.isEmpty && !key.contains { logs.contains($0) })
        try destination.end()
    }

    @Test func `a server gets user and password, and wrong ones are reported and can be corrected`() throws {
        let directory = try TemporaryDirectory()
        // The base64(1) encoding of jane:s3cret-word.
        let file = try directory.write("authorization", "Basic amFuZTpzM2NyZXQtd29yZA==\n")
        let scene = try UploadScene(server: ["--expect-token", file])
        defer { scene.end() }
        let notifications = try NotificationSocket(scene.apps.directory.file("notify"))
        let destination = try Destination(.https, scene, certificates.identity(), nil)
        let configuration = configuration(destination, "Kind=basic\nName=boat")
        try scene.start(
            configuration, credentials: ["boat": "jane:wrong-word\n"],
            environment: ["NOTIFY_SOCKET": scene.apps.directory.file("notify")])
        try expectReported("does not accept the credential boat (401)", "unauthorized", scene, notifications)
        try scene.uploader?.writeCredential("boat", "jane:s3cret-word\n")
        try scene.uploader?.reload(configuration)
        try scene.waitForPoints(10)
        try expectAllArrived(scene, destination)
    }

    @Test func `a broker gets user and password, and wrong ones are reported and can be corrected`() throws {
        let scene = try UploadScene()
        defer { scene.end() }
        let broker = try BrokerProcess(
            .init(identity: certificates.identity(), authority: nil), user: ("jane", "s3cret-word"))
        let destination = Destination.broker(broker)
        let notifications = try NotificationSocket(scene.apps.directory.file("notify"))
        let configuration = configuration(destination, "Kind=basic\nName=boat")
        try scene.start(
            configuration, credentials: ["boat": "jane:wrong-word\n"],
            environment: ["NOTIFY_SOCKET": scene.apps.directory.file("notify")])
        try expectReported("the broker refuses this client", "broker", scene, notifications)
        try scene.uploader?.writeCredential("boat", "jane:s3cret-word\n")
        try scene.uploader?.reload(configuration)
        try scene.eventually("it continues") { try destination.ids().count > 5 }
        try expectAllArrived(scene, destination)
        try broker.end()
    }
}
