import Authorization
import Testing

@testable import Manifests

@Suite struct ManifestReadingTests {
    private static let good = """
        # A map.
        [App]
        Name=Trail Map
        Name[ko]=등산 지도
        UserUnit=app-*trailmap*.scope
        Flatpak=org.example.TrailMap
        WhenInUseUsageDescription=Shows where you are on the map.
        WhenInUseUsageDescription[fr]=Affiche votre position ; enregistre le sentier #1.
        AlwaysAndWhenInUseUsageDescription=Records your hike while the screen is off.
        DefaultAccuracyReduced=false
        Record=yes
        X-Vendor=whatever

        [TemporaryUsage]
        Navigation=Spoken directions need your exact position.
        Navigation[ko]=음성 안내에 정확한 위치가 필요합니다.
        """

    private func read(_ text: String, owner: FileOwner = .root, id: String = "map") -> ManifestReading {
        ManifestReading(Array(text.utf8), id: id, path: "map.app", owner: owner)
    }

    @Test func `a manifest says what is in it, in every language`() throws {
        let reading = read(Self.good)
        #expect(reading.problems == [])
        let manifest = try #require(reading.manifest)
        #expect(manifest.name == LocalizedText("Trail Map", translations: ["ko": "등산 지도"]))
        #expect(manifest.identity == [.userUnit: "app-*trailmap*.scope", .flatpak: "org.example.TrailMap"])
        #expect(
            manifest.whenInUseUsage?.translations["fr"] == "Affiche votre position ; enregistre le sentier #1.")
        #expect(manifest.temporaryUsages["Navigation"]?.translations["ko"] == "음성 안내에 정확한 위치가 필요합니다.")
        #expect(manifest.mayRecord)
        #expect(!manifest.isDefaultAccuracyReduced)
        #expect(!manifest.isAlwaysInUse)
    }

    @Test func `line ends of other systems and a mark of UTF-8 change nothing`() {
        let text =
            "\u{FEFF}" + Self.good.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        #expect(read(text).manifest == read(Self.good).manifest)
    }

    @Test(
        arguments: [
            (
                "Exec=map",
                "map.app:3: error: Exec: “map” is not an absolute path. Allowed: the absolute path of a program"
            ),
            ("Exec=/usr/../bin/map", "map.app:3: error: Exec: “/usr/../bin/map” is not a plain path"),
            ("UserUnit=*", "map.app:3: error: UserUnit: “*” fits any unit"),
            ("UserUnit=app-*.scope", "map.app:3: error: UserUnit: “app-*.scope” fits any unit"),
            ("UserUnit=app-gnome-*.scope", "map.app:3: error: UserUnit: “app-gnome-*.scope” fits any unit"),
            ("Unit=map", "map.app:3: error: Unit: “map” is not the name of a unit"),
            ("Unit=user-1000.slice", "map.app:3: error: Unit: “user-1000.slice” is not the name of a unit"),
            ("Flatpak=map", "map.app:3: error: Flatpak: “map” is not the id of a Flatpak app"),
            ("Socket=", "map.app:3: error: Socket: “” is not the name of a socket"),
            ("Record=maybe", "map.app:3: error: Record: “maybe” is neither yes nor no. Allowed: yes, no"),
            ("Name=Other", "map.app:3: error: Name: is set for the second time: it was in line 2. Remove one"),
            ("Record[ko]=yes", "map.app:3: error: Record: has no translations. Write Record="),
            ("Name[ko=Karte", "map.app:3: error: a key with a locale is KEY[LOCALE]"),
            ("=x", "map.app:3: error: there is no key before the ="),
            ("Record", "map.app:3: error: this is neither KEY=VALUE nor [SECTION] nor a comment"),
            ("[App", "map.app:3: error: a section is [NAME] and nothing else on its line"),
            ("Name[de]=a\u{202E}b", "map.app:3: error: Name[de]: has a character that turns the direction of writing"),
            ("Name[de]=a\u{7}b", "map.app:3: error: Name[de]: has a control character"),
            ("Name[de]=a\u{3164}b", "map.app:3: error: Name[de]: has an invisible character: U+3164"),
            ("Name[de]=\u{2800}", "map.app:3: error: Name[de]: has an invisible character: U+2800"),
            ("Name[de]=a\u{E0041}", "map.app:3: error: Name[de]: has an invisible character: U+E0041"),
            ("Name[de]=a\u{E000}", "map.app:3: error: Name[de]: has a character without a defined appearance"),
            ("Name[de]=a\u{301}\u{301}", "map.app:3: error: Name[de]: has more than 4 marks on one letter"),
            ("Name[de]=…", "map.app:3: error: Name[de]: has no letter, digit or symbol"),
            ("[TemporaryUsage]\na b=x", "map.app:4: error: a b: is not a purpose"),
            ("[TemporaryUsage]\nTurn[ko]=x", "map.app: error: Turn: says nothing"),
            ("[Alerts]\na b=x", "map.app:4: error: a b: is no key of a text"),
            ("[Alerts]\nNew[ko]=x", "map.app: error: New: says nothing"),
            ("[Alerts]\nNew=a\u{202E}", "map.app:4: error: New: has "),
        ])
    func `what cannot be meant keeps the manifest from counting, and is reported with its line`(
        line: String, problem: String
    ) {
        let reading = read("[App]\nName=Map\n\(line)\nExec=/usr/bin/other\n")
        let reported = reading.problems.filter { $0.severity == .error }.map(\.description)
        #expect(reported.contains { $0.hasPrefix(problem) }, "\(reported)")
        #expect(reading.manifest == nil)
    }

    @Test(
        arguments: [
            ("Recrod=yes", "map.app:4: warning: Recrod: unknown key. Did you mean Record?"),
            ("Zzz=yes", "map.app:4: warning: Zzz: unknown key. [App] has Name, "),
            ("[Temporary]", "map.app:4: warning: [Temporary]: unknown section. "),
            ("[Alert]", "map.app:4: warning: [Alert]: unknown section. Did you mean [Alerts]?"),
        ])
    func `what a later version may know is reported, and the rest counts`(line: String, problem: String) {
        let reading = read("[App]\nName=Map\nExec=/usr/bin/map\n\(line)\n")
        #expect(reading.problems.count == 1)
        #expect(reading.problems.first?.description.hasPrefix(problem) == true, "\(reading.problems)")
        #expect(reading.manifest != nil)
    }

    @Test func `the path of a program has at most 1,024 bytes`() {
        let path = "/" + String(repeating: "a", count: 1_023)
        #expect(read("[App]\nName=Map\nExec=\(path)\n").manifest?.identity[.exec] == path)
        let reading = read("[App]\nName=Map\nExec=\(path)a\n")
        #expect(reading.manifest == nil)
        #expect(reading.problems.contains { $0.description.contains("is too long a path: 1,024 bytes are allowed") })
    }

    @Test func `a name and something to know it by are needed`() {
        #expect(read("[App]\nExec=/usr/bin/map").manifest == nil)
        #expect(read("[App]\nName=Map").manifest == nil)
        #expect(read("[App]\nName[ko]=Map\nExec=/usr/bin/map").manifest == nil)
        #expect(read("Name=Map\nExec=/usr/bin/map").manifest == nil)
        #expect(read("").manifest == nil)
    }

    @Test func `a user's manifest does not say what only root may`() throws {
        let text = "[App]\nName=Map\nExec=/usr/bin/map\nUnit=map.service\nSocket=map\nAlwaysInUse=yes\n"
        let manifest = try #require(read(text, owner: .user(1000)).manifest)
        #expect(manifest.identity == [.exec: "/usr/bin/map"])
        #expect(!manifest.isAlwaysInUse)
        #expect(read(text, owner: .user(1000)).problems.count == 3)
        #expect(try #require(read(text).manifest).isAlwaysInUse)
        let onlyRoots = "[App]\nName=Map\nUnit=map.service\n"
        #expect(read(onlyRoots, owner: .user(1000)).manifest == nil)
        #expect(read(onlyRoots).manifest != nil)
    }

    @Test(arguments: ["", ".map", "a/b", "a b", "a..b", "-a", String(repeating: "a", count: 129), "é"])
    func `a file whose name is no app id does not count`(id: String) {
        #expect(read(Self.good, id: id).manifest == nil)
    }

    @Test func `what is too large does not count`() {
        #expect(read(Self.good + String(repeating: "\n#", count: 40_000)).manifest == nil)
        let long = String(repeating: "x", count: 1_001)
        #expect(read("[App]\nName=Map\nExec=/a\nWhenInUseUsageDescription=\(long)").manifest == nil)
        #expect(read("[App]\nName=\(long.prefix(101))\nExec=/a").manifest == nil)
        let purposes = (0..<33).map { "P\($0)=Because of number \($0)." }.joined(separator: "\n")
        #expect(read("[App]\nName=Map\nExec=/a\n[TemporaryUsage]\n\(purposes)").manifest == nil)
        let alerts = (0..<64).map { "K\($0)=Text %@ \($0)" }.joined(separator: "\n")
        #expect(read("[App]\nName=Map\nExec=/a\n[Alerts]\n\(alerts)").manifest?.alertTexts.count == 64)
        #expect(read("[App]\nName=Map\nExec=/a\n[Alerts]\n\(alerts)\nK64=x").manifest == nil)
        #expect(read("[App]\nName=Map\nExec=/a\n[Alerts]\nK=\(long)").manifest == nil)
    }

    @Test func `a file that is wrong in every line does not fill the log`() {
        let reading = read(String(repeating: "x\n", count: 10_000))
        #expect(reading.problems.count <= 101)
        #expect(reading.problems.last?.message.hasSuffix("more are not listed") == true)
    }

    @Test func `bytes that are no text do no harm`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            var bytes = Array(Self.good.utf8)
            for _ in 0..<Int.random(in: 1...8) {
                bytes[Int.random(in: 0..<bytes.count)] = UInt8.random(in: 0...255, using: &generator)
            }
            _ = ManifestReading(bytes, id: "map", path: "map.app", owner: .root)
        }
        #expect(ManifestReading([0xFF, 0x3D, 0xFF], id: "map", path: "map.app", owner: .root).manifest == nil)
    }
}
