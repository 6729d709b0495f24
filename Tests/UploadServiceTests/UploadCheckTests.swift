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

    @Test func `the check shows which positions the filter chooses, and durations as the other commands do`() {
        let usual = check(file).lines
        #expect(usual.contains("Leaves out positions that are less than 1 s after the last chosen one."))
        #expect(usual.contains("While the device is stationary, chooses one position in 5 min."))
        #expect(usual.contains { $0.hasSuffix("positions wait for another one, 1 h at most.") })
        let all = "[Filter]\nDistance=20\nInterval=1min 30s\nAccuracy=50\nStationary=2h\n"
        let set = check(file + "\n" + all).lines
        #expect(
            set.contains(
                "Leaves out positions that are less than 20 m from the last chosen one, or less than 1 min 30 s after the"
                    + " last chosen one, or less accurate than 50 m."))
        #expect(set.contains("While the device is stationary, chooses one position in 2 h."))
        let none = check(file + "\n[Filter]\nDistance=none\nInterval=none\nAccuracy=none\nStationary=none\n").lines
        #expect(none.contains("Chooses every recorded position."))
    }

    @Test func `the check reads the regions, and reports every problem of their file`() throws {
        let directory = try TemporaryDirectory()
        let text = """
            [Destination]
            URL=https://tracker.example.org/in
            Format=owntracks
            [Device]
            User=jane
            Name=van
            [OwnTracks]
            Regions=\(directory.file("home.geojson"))
            """
        #expect(check(text).problems.first?.contains("home.geojson") == true)
        let point = #""geometry":{"type":"Point","coordinates":[8,47]}"#
        func write(_ features: String...) throws {
            let all = features.map { #"{"type":"Feature",\#($0),\#(point)}"# }.joined(separator: ",")
            _ = try directory.write("home.geojson", #"{"type":"FeatureCollection","features":[\#(all)]}"#)
        }
        try write(#""id":"a","properties":{}"#, #""properties":{"radius":5}"#)
        #expect(check(text).problems.count == 2)
        try write(#""id":"a","properties":{"radius":5}"#)
        let good = check(text)
        #expect(
            good.problems.isEmpty
                && good.lines.contains { $0.contains("leaves the region, and sends 1 circle as a waypoint.") })
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
