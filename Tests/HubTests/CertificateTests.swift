import Certificates
import JSONText
import Platform
import TestHubs
import TestSupport
import TestTraits
import Testing

@Suite(.waits, .timeLimit(.minutes(15))) struct CertificateTests {
    @Test func `a hub is recognized by the digest of its key, which openssl computes the same`() throws {
        let certificate = try OwnCertificate.make(names: ["hub.example.org", "localhost"], at: 1_780_000_000)
        #expect(try OwnCertificate.pin(of: certificate.pem) == certificate.pin)
        let folder = try TemporaryDirectory()
        let file = try folder.write("certificate.pem", certificate.pem)
        func openssl(_ command: String) throws -> String {
            let run = try CompletedProcess.run("/bin/sh", ["-c", command])
            #expect(run.status == .exited(0), "\(run.error)")
            return run.output
        }
        let digest = try openssl(
            "openssl x509 -in \(file) -pubkey -noout | openssl pkey -pubin -outform DER | openssl sha256 -r")
        #expect(digest.hasPrefix(HexText.text(certificate.pin)))
        let text = try openssl("openssl x509 -in \(file) -noout -text")
        #expect(text.contains("DNS:hub.example.org, DNS:localhost") && text.contains("prime256v1"))
        #expect(try openssl("openssl verify -CAfile \(file) -attime 1790000000 \(file)").contains("OK"))
        #expect(try OwnCertificate.make(names: ["localhost"], at: 0).pin != certificate.pin)
        #expect(throws: CertificateError.self) { try OwnCertificate.pin(of: "nothing") }
    }

    @Test func `curl trusts the hub by its pin, and refuses another one`() throws {
        let hub = try HubProcess(more: [])
        let pem = hub.folder.file("hub/certificate.pem")
        let text = String(decoding: try BoundedFile.bytes(of: pem, limit: 65_536), as: UTF8.self)
        let pin = try OwnCertificate.pin(of: text)
        func curl(_ pin: [UInt8]) throws -> CompletedProcess {
            try CompletedProcess.run(
                "/usr/bin/curl",
                [
                    "-sSk", "--pinnedpubkey", "sha256//\(Base64.text(pin))", "--max-time", "20",
                    "https://localhost:\(hub.port)/v1",
                ])
        }
        let pinned = try curl(pin)
        #expect(pinned.output.contains("waymark-hub"), "\(pinned.error)")
        let other = try curl([UInt8](repeating: 7, count: 32))
        #expect(other.status == .exited(90), "\(other.error)")
        let trusted = try CompletedProcess.run(
            "/usr/bin/curl", ["-sS", "--cacert", pem, "--max-time", "20", "https://localhost:\(hub.port)/v1"])
        #expect(trusted.output.contains("waymark-hub"), "\(trusted.error)")
        // The certificate stays the same.
        try hub.stop()
        try hub.start()
        let restarted = try curl(pin)
        #expect(restarted.output.contains("waymark-hub"), "\(restarted.error)")
    }
}
