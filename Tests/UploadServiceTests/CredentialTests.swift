import Cryptography
import Platform
import TestSupport
import Testing
import Upload

@testable import UploadService

/// Secrets are read from files and appear in no message.
@Suite struct CredentialTests {
    private let directory: TemporaryDirectory
    private let folder: CredentialFolder

    init() throws {
        directory = try TemporaryDirectory()
        folder = CredentialFolder(path: directory.path)
    }

    private func configuration(_ kind: UploadConfiguration.CredentialReference.Kind) -> UploadConfiguration {
        var configuration = UploadConfiguration()
        configuration.credential.kind = kind
        configuration.credential.name = "secret"
        return configuration
    }

    @Test func `a user and a password are separated by a colon, and the line end belongs to neither`() throws {
        for text in ["jane:pass:word", "jane:pass:word\n", "jane:pass:word\r\n"] {
            _ = try directory.write("secret", text)
            let credentials = try folder.credentials(for: configuration(.basic))
            #expect(try credentials.identity == .basic(Secret("jane:pass:word")))
        }
        _ = try directory.write("secret", "jane:trailing  \n")
        #expect(try folder.credentials(for: configuration(.basic)).identity == .basic(Secret("jane:trailing  ")))
        #expect(try folder.credentials(for: configuration(.basic)).identity != .basic(Secret("jane:trailing")))
    }

    @Test func `a certificate with its key is used unchanged`() throws {
        let pem = """
            -----BEGIN CERTIFICATE-----
            AAAA
            -----END CERTIFICATE-----
            -----BEGIN PRIVATE KEY-----
            BBBB
            -----END PRIVATE KEY-----

            """
        _ = try directory.write("secret", pem)
        let identity = try folder.credentials(for: configuration(.certificate)).identity
        #expect(try identity == .certificate(Secret(pem)))
    }

    static let faults: [(UploadConfiguration.CredentialReference.Kind, String?, CredentialProblem.Fault)] = [
        (.basic, nil, .missing), (.basic, "", .empty), (.basic, "\n", .empty), (.basic, "jane", .noColon),
        (.basic, "jane:a\nb", .notOneLine), (.bearer, nil, .missing), (.bearer, "two words", .notAToken),
        (.bearer, "tökén", .notAToken), (.bearer, "a\u{7}b", .notOneLine), (.certificate, nil, .missing),
        (.certificate, "-----BEGIN PRIVATE KEY-----", .noCertificate),
        (.certificate, "-----BEGIN CERTIFICATE-----", .noKey),
        (
            .certificate, "-----BEGIN CERTIFICATE-----\n-----BEGIN ENCRYPTED PRIVATE KEY-----", .keyIsEncrypted
        ), (.bearer, String(repeating: "x", count: CredentialFolder.longest + 1), .tooLong),
    ]

    @Test(arguments: faults)
    func `a problem is reported with the credential's name and none of its contents`(
        kind: UploadConfiguration.CredentialReference.Kind, text: String?, fault: CredentialProblem.Fault
    ) throws {
        if let text { _ = try directory.write("secret", text) }
        let error = #expect(throws: CredentialProblem.self) { try folder.credentials(for: configuration(kind)) }
        #expect(error == CredentialProblem("secret", fault))
        let message = try #require(error?.description)
        #expect(message.contains("credential secret"))
        for part in (text ?? "").split(separator: "\n") where part.count > 3 { #expect(!message.contains(part)) }
    }

    @Test func `a service without credentials gets instructions to add one`() throws {
        let error = #expect(throws: CredentialProblem.self) {
            try CredentialFolder(path: nil).credentials(for: configuration(.bearer))
        }
        #expect(error?.text(.start).contains("LoadCredential=secret:") == true)
        #expect(try CredentialFolder(path: nil).credentials(for: UploadConfiguration()) == Credentials())
    }

    static let renewals: [(String?, CredentialRenewal, String)] = [
        (
            "/run/credentials/waymark-upload@home.service", .restart(unit: "waymark-upload@home.service"),
            "`sudo systemctl restart waymark-upload@home.service`"
        ),
        (
            "/run/user/1000/credentials/up.service", .userRestart(unit: "up.service"),
            "`systemctl --user restart up.service`"
        ),
        ("/home/jane/credentials", .reload, "SIGHUP"), ("/run/user/1000/mine", .reload, "SIGHUP"),
        (nil, .start, "start the uploader again"),
    ]

    @Test(arguments: renewals)
    func `the message states how a corrected credential is loaded`(
        folder: String?, renewal: CredentialRenewal, command: String
    ) {
        #expect(CredentialFolder(path: folder).renewal == renewal)
        #expect(renewal.instruction.contains(command))
        for fault in [CredentialProblem.Fault.missing, .empty, .noColon] {
            #expect(CredentialProblem("token", fault).text(renewal).contains(command))
        }
    }

    @Test func `the key of OwnTracks' encryption is read, and one that is too long refused`() throws {
        var configuration = UploadConfiguration()
        configuration.credential.encryption = "key"
        _ = try directory.write("key", "s3cret\n")
        #expect(try folder.credentials(for: configuration).box == SecretBox(zeroPadding: Array("s3cret".utf8)))
        _ = try directory.write("key", String(repeating: "k", count: 33))
        let error = #expect(throws: CredentialProblem.self) { try folder.credentials(for: configuration) }
        #expect(error?.fault == .notAKey("the key has more than 32 bytes"))
    }

    @Test func `the secret of an address replaces the placeholder and appears nowhere else`() throws {
        var configuration = UploadConfiguration()
        configuration.destination.url = try DestinationURL(parsing: "https://home.example.org/hook/{secret}?v=1")
        configuration.credential.secret = "hook"
        let missing = #expect(throws: CredentialProblem.self) { try folder.credentials(for: configuration) }
        #expect(missing == CredentialProblem("hook", .missing))
        _ = try directory.write("hook", "s3cret-Path_%7E\n")
        let credentials = try folder.credentials(for: configuration)
        #expect(credentials.url?.text == "https://home.example.org/hook/s3cret-Path_%7E?v=1")
        #expect(!String(reflecting: credentials).contains("s3cret"))
        for wrong in ["a b", "a?b", "a#b", "{secret}", "a\"b", "tökén", String(repeating: "x", count: 2_048)] {
            _ = try directory.write("hook", wrong)
            let error = #expect(throws: CredentialProblem.self) { try folder.credentials(for: configuration) }
            #expect(error == CredentialProblem("hook", .notForAnAddress))
        }
    }

    @Test func `the description of credentials reveals nothing`() throws {
        var credentials = Credentials()
        credentials.identity = .basic(try Secret("jane:geheim"))
        #expect("\(credentials)" == "credentials")
        #expect(String(reflecting: credentials) == "credentials")
        var setup = UploadProcess.Setup(UploadConfiguration(), from: folder)
        setup.credentials = credentials
        #expect(!String(reflecting: setup).contains("geheim"))
    }
}
