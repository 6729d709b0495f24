import Authorization
import Containers
import Testing

@testable import Manifests

@Suite struct WakeSectionTests {
    private func read(
        _ wake: String, owner: FileOwner = .root, id: String = "map", identity: String = "UserUnit=map.service",
        always: String = "AlwaysAndWhenInUseUsageDescription=Records your hike while the screen is off.\n"
    ) -> ManifestReading {
        let text = """
            [App]
            Name=Trail Map
            \(identity)
            WhenInUseUsageDescription=Shows where you are on the map.
            \(always)[Wake]
            \(wake)
            """
        return ManifestReading(Array(text.utf8), id: id, path: "map.app", owner: owner)
    }

    @Test(arguments: [FileOwner.root, .user(1_000)])
    func `a manifest says which service starts the app and for what`(owner: FileOwner) throws {
        let reading = read("Unit=map.service\nFor=regions visits significant-change path target", owner: owner)
        #expect(reading.problems == [])
        let wake = try #require(reading.manifest?.wake)
        #expect(wake.unit == "map.service")
        #expect(wake.causes == [.regions, .visits, .significantChange, .path, .target])
        #expect(reading.manifest?.manifest.wake == wake)
        #expect(ManifestLint.examine(reading) == [])
    }

    @Test func `an app without the section is not woken`() {
        let text = "[App]\nName=Map\nExec=/usr/bin/map\n"
        #expect(ManifestReading(Array(text.utf8), id: "map", path: "f", owner: .root).manifest?.wake == nil)
    }

    @Test(
        arguments: [
            "map", "map.socket", "map.service.d/x", "/etc/systemd/system/map.service", "../map.service",
            "map@.service", "map@a.service", "map*.service", "map?.service", "[m]ap.service", "map\\x2d.service",
            ".service", ".map.service", "-map.service", "map.service map2.service", "", "mäp.service",
            "map.service\u{7f}",
            "a\tb.service", "dev-sda.device", String(repeating: "a", count: 248) + ".service",
        ])
    func `what is not the name of one service is an error`(unit: String) {
        let reading = read("Unit=\(unit)\nFor=regions")
        #expect(reading.manifest == nil)
        let errors = reading.problems.filter { $0.severity == .error }.map(\.description)
        #expect(errors.count == 1)
        #expect(
            errors.first?.contains("is not the name of a service. Allowed: the name of one service") == true,
            "\(errors)")
    }

    @Test(arguments: ["a.service", "org.example.Map.service", "map_2:x-y.service"])
    func `the plain name of a service is accepted`(unit: String) {
        #expect(read("Unit=\(unit)\nFor=path").manifest?.wake?.unit == unit)
    }

    @Test(
        arguments: [
            ("Unit=map.service\nFor=", "map.app:8: error: For: names no event. Allowed: regions visits"),
            (
                "Unit=map.service\nFor=region",
                "map.app:8: error: For: “region” is no event that wakes an app. Did you mean regions?"
            ),
            (
                "Unit=map.service\nFor=moon",
                "map.app:8: error: For: “moon” is no event that wakes an app. Allowed: regions"
            ),
            ("Unit=map.service\nFor=path path", "map.app:8: error: For: names path for the second time. Remove one"),
            ("Unit=map.service", "map.app:6: error: For: is missing in [Wake]"),
            ("For=regions", "map.app:6: error: Unit: is missing in [Wake]"),
            ("Unit[de]=map.service\nFor=regions", "map.app:7: error: Unit: has no translations. Write Unit="),
            ("Unit=map.service\nUnit=b.service\nFor=path", "map.app:8: error: Unit: is set for the second time"),
        ])
    func `a mistake is an error with its line`(wake: String, problem: String) {
        let reading = read(wake)
        #expect(reading.manifest == nil)
        #expect(reading.problems.contains { $0.description.hasPrefix(problem) }, "\(reading.problems)")
    }

    @Test func `the unit of a section is another than that of the app`() throws {
        let reading = read("Unit=map.service\nFor=regions", identity: "Unit=map*.service")
        #expect(reading.problems == [])
        #expect(reading.manifest?.identity[.unit] == "map*.service")
    }

    @Test func `an unknown key is a remark, and the rest counts`() {
        let reading = read("Unit=map.service\nFor=regions\nFro=path\nX-Mine=1")
        #expect(reading.problems.map(\.description) == ["map.app:9: warning: Fro: unknown key. Did you mean For?"])
        #expect(reading.manifest?.wake?.causes == [.regions])
    }

    @Test func `a template wakes no instance`() {
        let reading = read("Unit=map.service\nFor=regions", id: "map@", identity: "UserUnit=map@.service")
        #expect(reading.manifest == nil)
        #expect(
            reading.problems.contains { $0.message.hasPrefix("does not say which instance of a template it wakes") })
    }

    @Test(arguments: ["push", "target push regions"])
    func `push without a container is remarked`(events: String) throws {
        let wake = "Unit=map.service\nFor=\(events)"
        let reading = read(wake)
        #expect(reading.manifest?.wake?.causes.contains(.push) == true)
        let remarks = ManifestLint.examine(reading).map(\.description)
        #expect(remarks.count == 1)
        #expect(remarks.first?.contains("8: warning: For: has push, which never wakes the app") == true)
        let containers = "UserUnit=map.service\nContainers=org.example.map org.example.notes"
        #expect(ManifestLint.examine(read(wake, identity: containers)) == [])
    }

    @Test func `an app that is woken for push alone needs no position`() {
        let text = "[App]\nName=Notes\nUnit=notes.service\nContainers=org.example.notes\n"
        func remarks(_ events: String) -> [String] {
            let wake = "[Wake]\nUnit=notes.service\nFor=\(events)\n"
            let reading = ManifestReading(Array((text + wake).utf8), id: "notes", path: "notes.app", owner: .root)
            return ManifestLint.examine(reading).map(\.description)
        }
        #expect(remarks("push") == [])
        #expect(remarks("push path").contains { $0.contains("[Wake]: is used for push only: only an app with always") })
    }

    @Test(arguments: [("production", ContainerEnvironment.production), ("development", .development)])
    func `a user's app has its containers in the environment of its manifest`(
        word: String, environment: ContainerEnvironment
    ) {
        let more = "UserUnit=map.service\nContainers=org.example.map\nEnvironment=\(word)"
        let reading = read("Unit=map.service\nFor=push", owner: .user(1_000), identity: more)
        #expect(reading.manifest?.manifest.containers == [SyncedContainer("org.example.map", environment)])
    }

    @Test func `an app that cannot ask for always is remarked`() {
        let remarks = ManifestLint.examine(read("Unit=map.service\nFor=path", always: ""))
        #expect(remarks.contains { $0.description.contains("[Wake]: is never used: only an app with always is woken") })
    }

    @Test(
        arguments: [
            ("UserUnit=map.service", true), ("UserUnit=app-*map*.scope", true), ("Unit=other.service", true),
            ("UserUnit=other*.service", false), ("Exec=/usr/bin/map\nUserUnit=map.scope", false),
        ])
    func `a service whose processes are another app, or none, is remarked`(identity: String, isRemarked: Bool) {
        let remarks = ManifestLint.examine(read("Unit=other2.service\nFor=path", identity: identity))
        #expect(remarks.contains { $0.message.hasPrefix("is not among the units of") } == isRemarked, "\(remarks)")
    }
}
