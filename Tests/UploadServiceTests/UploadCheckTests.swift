import Destinations
import TestSupport
import Testing

@testable import UploadService

/// The output of `--check`.
@Suite struct UploadCheckTests {
    private func check(_ text: String, credentials: CredentialFolder = CredentialFolder(path: nil)) -> UploadCheck {
        UploadCheck("home", DestinationFile(reading: Array(text.utf8), as: "home.conf"), credentials: credentials)
    }

    private let file = """
        [Destination]
        URL=https://tracker.example.org/hook/s3cret?token=geheim
        Format=overland
        [Credential]
        Kind=bearer
        Name=home-token
        """

    @Test func `the check shows the effects and no secret of the address`() {
        let check = check(file)
        #expect(check.problems.isEmpty)
        let text = check.lines.joined(separator: "\n")
        #expect(text.contains("https://tracker.example.org as overland"))
        #expect(text.contains("home-token"))
        #expect(!text.contains("s3cret") && !text.contains("geheim"))
    }

    @Test func `an error in the file or in a credential is a problem`() throws {
        #expect(check("[Destination]\nURL=ftp://x\nFormat=overland\n").problems.count == 1)
        #expect(check("").problems.first?.contains("URL") == true)
        let directory = try TemporaryDirectory()
        let problems = check(file, credentials: CredentialFolder(path: directory.path)).problems
        #expect(problems.first?.contains("home-token is missing") == true)
        _ = try directory.write("home-token", "abc\n")
        #expect(check(file, credentials: CredentialFolder(path: directory.path)).problems.isEmpty)
    }
}
