import Destinations
import Glibc
import Platform
import TestSupport
import Testing
import Upload

/// Reading of the files of `uploads.d`.
@Suite struct DestinationFileTests {
    private func read(_ text: String) -> DestinationFile { DestinationFile(reading: Array(text.utf8), as: "f") }

    private static let formats = UploadFormat.all.map(\.name)

    private func problems(_ text: String) -> [String] { read(text).problems.map(\.description) }

    @Test func `a few lines are a destination`() throws {
        let file = read(
            """
            # home
            [Destination]
            URL=https://tracker.example.org/api/input
            Format=overland
            [Credential]
            Kind=bearer
            Name=home-token
            """)
        #expect(file.problems == [])
        var expected = UploadConfiguration()
        expected.destination.url = try DestinationURL(parsing: "https://tracker.example.org/api/input")
        expected.destination.format = .overland
        expected.credential.kind = .bearer
        expected.credential.name = "home-token"
        #expect(file.configuration == expected)
    }

    @Test func `every setting is read into its field`() throws {
        let file = read(
            """
            [Destination]
            URL=https://home.example.org:8884/hook/{secret}
            Format=owntracks
            Unencrypted=yes
            CAFile=/etc/ssl/home.pem
            Timeout=20s
            FractionalTimes=yes
            [Credential]
            Kind=certificate
            Name=home.pem
            Secret=hook
            Encryption=home.key
            [Device]
            User=jane
            Name=little boat
            TrackerID=JB
            [Queue]
            Order=newest
            Expensive=defer
            Constrained=send
            DeferAtMost=2h
            BatchLimit=50
            BatchBytes=64K
            [MQTT]
            ClientID=jane-boat
            Topic=fleet/7
            KeepAlive=30s
            Window=5
            DiscoveryPrefix=ha
            [OwnTracks]
            Battery=no
            ReportLocation=yes
            Regions=/etc/waymark/uploads.d/home.geojson
            [OsmAnd]
            Method=form
            """)
        #expect(file.problems == [])
        var expected = UploadConfiguration()
        expected.destination.url = try DestinationURL(parsing: "https://home.example.org:8884/hook/{secret}")
        expected.destination.format = .owntracks
        expected.destination.allowsUnencrypted = true
        expected.destination.authorityFile = "/etc/ssl/home.pem"
        expected.destination.timeout = .seconds(20)
        expected.destination.hasFractionalTimes = true
        expected.credential.kind = .certificate
        expected.credential.name = "home.pem"
        expected.credential.secret = "hook"
        expected.credential.encryption = "home.key"
        expected.device.user = "jane"
        expected.device.name = "little boat"
        expected.device.trackerID = "JB"
        expected.queue.order = .newest
        expected.queue.expensive = .defer
        expected.queue.constrained = .send
        expected.queue.deferAtMost = .seconds(7_200)
        expected.queue.batchLimit = 50
        expected.queue.batchBytes = 65_536
        expected.mqtt.clientID = "jane-boat"
        expected.mqtt.topic = "fleet/7"
        expected.mqtt.keepAlive = .seconds(30)
        expected.mqtt.window = 5
        expected.mqtt.discoveryPrefix = "ha"
        expected.owntracks.hasBattery = false
        expected.owntracks.reportsLocation = true
        expected.owntracks.regionsFile = "/etc/waymark/uploads.d/home.geojson"
        expected.osmand.method = .form
        #expect(file.configuration == expected)
    }

    @Test(arguments: [
        ("", ["f: [Destination] URL: is not set. Write the address of the destination"]),
        (
            "[Destination]\nURL=https://a.example",
            ["f: [Destination] Format: is not set. Choose one of \(Self.formats.joined(separator: ", "))"]
        ),
        (
            "[Destination]\nURL=a.example\nFormat=overlnd\n[Queue]\nOrder=old\nBatchLimit=0",
            [
                "f:2: [Destination] URL: “a.example” does not begin with https://, http://, mqtts:// or mqtt://. "
                    + "Allowed: https://HOST/PATH or mqtts://HOST, with :PORT after HOST if it is not the default",
                "f:3: [Destination] Format: “overlnd” is no format. Did you mean overland? "
                    + "Allowed: \(Self.formats.dropLast().joined(separator: ", ")) or \(Self.formats.last ?? "")",
                "f:5: [Queue] Order: “old” is no order. Did you mean oldest? Allowed: oldest or newest",
                "f:6: [Queue] BatchLimit: “0” is out of range. Allowed: a whole number from 1 to 1000",
            ]
        ),
        (
            "[Destination]\nURL=https://a.example\nFormat=geojson\n[Filter]\nDistance=-5\nInterval=nan\nAccuracy=1e9"
                + "\nStationary=off",
            [
                "f:5: [Filter] Distance: “-5” is not a whole number. "
                    + "Allowed: none, or a whole number from 1 to 1000000, in metres",
                "f:6: [Filter] Interval: “nan” is not a duration. Allowed: none, or a duration from 100ms to 30d, "
                    + "in ms, s, min, h or d, as in 1min 30s",
                "f:7: [Filter] Accuracy: “1e9” is not a whole number. "
                    + "Allowed: none, or a whole number from 1 to 1000000, in metres",
                "f:8: [Filter] Stationary: “off” is not a duration. Allowed: none, or a duration from 1s to 30d, "
                    + "in ms, s, min, h or d, as in 1min 30s",
            ]
        ),
        (
            "[Destination]\nURL=http://tracker.example.org/\nFormat=geojson",
            [
                "f:2: [Destination] URL: everyone on the network path could read the positions. "
                    + "Write https://, or Unencrypted=yes"
            ]
        ),
        (
            "[Destination]\nURL=https://a.example/\nFormat=owntracks\n[Device]\nUser=jane",
            ["f: [Device] Name: is not set. owntracks needs it"]
        ),
        (
            "[Destination]\nURL=https://a.example/\nFormat=geojson\n[Credential]\nKind=basic\nPassword=secret",
            ["f:6: [Credential] Password: unknown setting. [Credential] has Kind, Name, Secret, Encryption"]
        ),
        (
            "[Destination]\nURL=https://a.example/\nFormat=geojson\n[Receiver]\nGPSD=none",
            [
                "f:4: [Receiver]: unknown section. The sections are [Destination], [Credential], [Device], [Filter], "
                    + "[Queue], [MQTT], [OwnTracks], [OsmAnd]"
            ]
        ),
        (
            "[Destination]\nURL=https://a.example/\nFormat=geojson\n[MQTT]\nTopic=a/#\n[Device]\nName=a/b\nTrackerID=abc",
            [
                "f:5: [MQTT] Topic: “a/#” is not allowed here. "
                    + "Allowed: a topic without + and #, at most 128 bytes, not beginning with $ or /",
                "f:7: [Device] Name: “a/b” is not allowed here. "
                    + "Allowed: letters, digits, and signs but for /, + and #, at most 64 bytes",
                "f:8: [Device] TrackerID: “abc” is not allowed here. Allowed: one or two characters",
            ]
        ),
    ]) func `an error is reported with its line and the allowed values`(_ text: String, _ expected: [String]) {
        #expect(problems(text) == expected)
    }

    @Test(arguments: [
        "https://jane:secret@a.example/", "htps://a.example/hook/secret", "a.example/secret",
        #"https:\\a.example\secret"#,
        "htps://a.example/?token=secret", "https://a.example:x/?secret",
    ])
    func `a possible secret is not repeated`(_ url: String) {
        let problems = problems("[Destination]\nURL=\(url)\nFormat=geojson")
        #expect(problems.count == 1)
        #expect(problems.allSatisfy { $0.hasPrefix("f:2: [Destination] URL: the value ") && !$0.contains("secret") })
    }

    @Test func `a missing file is reported`() {
        let file = DestinationFile(reading: "/nonexistent/home.conf")
        #expect(
            file.problems.first?.description
                == "/nonexistent/home.conf: there is no such file. Write it: `waymark uploads example` prints one with"
                + " all settings, and waymark-upload.conf(5) explains them")
    }

    @Test(
        arguments: [
            ("home", "/etc/waymark/uploads.d/home.conf"), ("a.b-c_1", "/etc/waymark/uploads.d/a.b-c_1.conf"), ("", nil),
            ("../x", nil), (".x", nil), ("a/b", nil), ("a b", nil), ("ä", nil),
            (String(repeating: "x", count: 129), nil),
        ] as [(String, String?)])
    func `a destination's file is found by its name`(_ name: String, _ path: String?) {
        #expect(DestinationFile.path(of: name) == path)
    }

    @Test func `the example lacks only the required settings`() {
        let file = DestinationFile(reading: Array(DestinationFile.example.utf8), as: "f")
        #expect(file.configuration == UploadConfiguration())
        #expect(file.problems.map(\.key) == ["URL"])
    }

    @Test func `the page about uploads has the current table of settings`() throws {
        let path = try Products.file("Documentation/uploads.md")
        let page = try String(decoding: BoundedFile.bytes(of: path, limit: 1 << 16), as: UTF8.self)
        let table = DestinationFile.markdownTable
        guard getenv("WAYMARK_WRITE_REFERENCE") != nil else {
            #expect(
                page.contains(table),
                "write it anew: WAYMARK_WRITE_REFERENCE=1 swift test --filter DestinationFileTests")
            return
        }
        let start = try #require(page.firstRange(of: String(table.prefix { $0 != "\n" })))
        let end = page[start.lowerBound...].firstRange(of: "\n\n")?.lowerBound ?? page.endIndex
        var whole = page
        whole.replaceSubrange(start.lowerBound..<end, with: table.dropLast())
        let stream = try #require(fopen(path, "w"))
        defer { fclose(stream) }
        #expect(fputs(whole, stream) >= 0)
    }

    @Test func `random lines are read or reported`() {
        var random = SeededGenerator()
        let pieces = [
            "[Destination]", "[Queue]", "[Device]", "\n", "\n", "=", "URL=", "https://", "a.example", "/", "?", "[::1]",
            ":", "443", "Format=", "osmand", "Name=", "Topic=", "\u{202E}", "é", " ", "%", "@", "#",
        ]
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 0...30, using: &random)).compactMap { _ in
                pieces.randomElement(using: &random)
            }.joined()
            let file = read(text)
            #expect(!file.problems.isEmpty || file.configuration.objections.isEmpty)
            #expect(file.problems.allSatisfy { !$0.description.contains(where: \.isNewline) })
        }
    }
}
