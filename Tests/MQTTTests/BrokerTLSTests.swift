import Glibc
import MQTT
import Platform
import TestSupport
import TestTraits
import Testing
import Upload

@Suite(
    .waits, .serialized, .timeLimit(.minutes(15)),
    .enabled(if: Broker.isPossible, "mosquitto, its clients and openssl are needed"))
struct BrokerTLSTests {
    private let certificates: TestCertificates

    init() throws {
        LoopThread.start()
        certificates = try TestCertificates()
    }

    @DaemonActor private func broker(
        _ identity: TestCertificates.Identity, demanding authority: String? = nil, highest: String? = nil
    ) async throws -> Broker {
        var lines = ["allow_anonymous true", "certfile \(identity.certificate)", "keyfile \(identity.key)"]
        if let authority { lines += ["cafile \(authority)", "require_certificate true"] }
        if let highest { lines.append("tls_version \(highest)") }
        return try await Broker(lines)
    }

    @DaemonActor private func event(
        _ broker: Broker, host: String = "localhost", trusting file: String? = nil,
        _ credential: Credential = .none
    ) async throws -> MQTTEvent? {
        let publisher = try Publisher(broker.port, host: host, isEncrypted: true) {
            $0.authorityFile = file ?? certificates.authority
            $0.credential = credential
        }
        let event = try await publisher.connected()
        publisher.disconnect()
        return event
    }

    @Test @DaemonActor func `a valid certificate is trusted, for a name and for an address`() async throws {
        let broker = try await broker(certificates.identity())
        let reported1 = try await event(broker)
        #expect(reported1 == .connected(isResumed: false))
        let reported2 = try await event(broker, host: "127.0.0.1")
        #expect(reported2 == .connected(isResumed: false))
    }

    @Test @DaemonActor func `the fault of a certificate is reported`() async throws {
        let others = try TestCertificates()
        let good = try await broker(certificates.identity())
        let reported3 = try await event(good, trusting: others.authority)
        #expect(reported3 == .lost(.tls(.unknownIssuer)))
        let reported4 = try await event(good, trusting: "")
        #expect(reported4 == .lost(.tls(.unknownIssuer)))
        let reported5 = try await event(good, trusting: "/nowhere")
        #expect(reported5 == .lost(.tls(.authoritiesUnusable)))
        let expired = try await broker(certificates.identity(days: -1))
        let reported6 = try await event(expired)
        #expect(reported6 == .lost(.tls(.expired)))
        let elsewhere = try await broker(certificates.identity("DNS:elsewhere.example"))
        let reported7 = try await event(elsewhere)
        #expect(reported7 == .lost(.tls(.wrongName)))
        let reported8 = try await event(elsewhere, host: "127.0.0.1")
        #expect(reported8 == .lost(.tls(.wrongName)))
    }

    @Test(arguments: ["tlsv1.2", "tlsv1.3"])
    @DaemonActor func `a client certificate is sent, and its refusal is reported`(version: String)
        async throws
    {
        let others = try TestCertificates()
        let broker = try await broker(certificates.identity(), demanding: certificates.authority, highest: version)
        let own = try certificates.credential(certificates.identity("DNS:client"))
        let taken = try await event(broker, .certificate(Secret(own)))
        #expect(taken == .connected(isResumed: false))
        let foreign = try others.credential(others.identity())
        try await isRefused(broker, .certificate(Secret(foreign)))
    }

    @Test @DaemonActor func `a missing client certificate is reported if the broker says so`() async throws {
        let broker = try await broker(certificates.identity(), demanding: certificates.authority, highest: "tlsv1.3")
        try await isRefused(broker, .none)
    }

    /// The broker refuses after the handshake, and its alert is lost if the end of the connection arrives first.
    @DaemonActor private func isRefused(_ broker: Broker, _ credential: Credential) async throws {
        var events: [MQTTEvent?] = []
        let isReported = try await eventually {
            events.append(try await event(broker, credential))
            return events.last == .lost(.tls(.certificateRefused))
        }
        #expect(isReported)
        #expect(events.dropLast().allSatisfy { $0 == .lost(.connectionLost) })
    }

    @Test @DaemonActor func `a certificate without key and a key with a password are reported as such`() async throws {
        let broker = try await broker(certificates.identity(), demanding: certificates.authority)
        let identity = try certificates.identity()
        let (other, locked) = try (certificates.identity(), certificates.locked(identity))
        let mixed = TestCertificates.Identity(certificate: identity.certificate, key: other.key)
        for wrong in [try certificates.credential(mixed), try certificates.credential(locked), "no PEM", ""] {
            let reported10 = try await event(broker, .certificate(Secret(wrong)))
            #expect(reported10 == .lost(.tls(.credentialUnusable)))
        }
    }

    @Test @DaemonActor func `messages are sent over TLS, also after a reconnection`() async throws {
        let broker = try await broker(certificates.identity())
        let publisher = try Publisher(broker.port, host: "localhost", isEncrypted: true) {
            $0.authorityFile = certificates.authority
        }
        let reported11 = try await publisher.connected()
        #expect(reported11 == .connected(isResumed: false))
        publisher.publish(1...300)
        #expect(try await soon { publisher.confirmed == Array(1...300) })
        broker.signal(SIGSTOP)
        publisher.publish(301...320)
        publisher.disconnect()
        broker.signal(SIGCONT)
        let reported12 = try await publisher.connected()
        #expect(reported12 == .connected(isResumed: true))
        #expect(try await soon { publisher.confirmed == Array(301...320) })
    }
}
