import Glibc
import Platform
import TestHubs
import TestSupport
import TestTraits
import Testing

@testable import Hub

@Suite(.waits, .timeLimit(.minutes(15))) struct DoctorTests {
    private static func statistics() -> HubInterface.GetStatistics.Reply {
        .init(
            version: "0.1.0", started: 0, address: "https://hub:8743", certificateExpires: 2_000_000_000,
            connections: 10, connectionLimit: 1_000, descriptorLimit: 4_096, waiting: 5, responses: [], pushes: 0,
            postponed: 0, failures: 0, tasks: 0, groups: 0)
    }

    private static func kinds(_ statistics: HubInterface.GetStatistics.Reply, at now: Int = 1_900_000_000) -> [String] {
        HubDoctor.findings(statistics, at: now).map(\.kind.rawValue)
    }

    @Test func `each problem of a hub that runs is found`() {
        #expect(Self.kinds(Self.statistics()) == ["ok", "ok"])
        #expect(Self.kinds(Self.statistics(), at: 1_999_999_000) == ["ok", "warning"])
        #expect(Self.kinds(Self.statistics(), at: 2_000_000_000) == ["ok", "problem"])
        var changed = Self.statistics()
        changed.certificateExpires = nil
        #expect(Self.kinds(changed) == ["ok"])
        changed.failures = 1
        #expect(Self.kinds(changed) == ["ok", "problem"])
        changed = Self.statistics()
        changed.descriptorLimit = 1_024
        changed.connections = 900
        #expect(Self.kinds(changed) == ["ok", "ok", "warning", "warning"])
    }

    @Test func `space is evaluated, and each folder that others can read is found`() throws {
        #expect(HubDoctor.space(free: 63 << 20).kind == .problem)
        #expect(HubDoctor.space(free: 64 << 20).kind == .warning)
        #expect(HubDoctor.space(free: 1 << 30).kind == .good)
        let folder = try TemporaryDirectory()
        try retrying("chmod", subject: folder.path) { chmod(folder.path, 0o750) }
        #expect(HubDoctor.permissions(of: folder.path).kind == .problem)
        try retrying("chmod", subject: folder.path) { chmod(folder.path, 0o700) }
        #expect(HubDoctor.permissions(of: folder.path).kind == .good)
        #expect(HubDoctor.permissions(of: folder.file("none")).kind == .problem)
    }

    @Test func `a hub is examined, and one that does not run is a problem`() throws {
        let hub = try HubProcess(more: [])
        func doctor() throws -> CompletedProcess {
            try CompletedProcess.run(
                Products.program("waymark-hub"), ["doctor", "--folder", hub.folder.file("hub")])
        }
        let good = try doctor()
        #expect(good.status == .exited(0) && !good.output.contains("problem"), "\(good.output)\(good.error)")
        #expect(good.output.contains("the certificate is valid until 20"))
        try hub.stop()
        let bad = try doctor()
        #expect(bad.status == .exited(1) && bad.output.contains("problem: no hub answers"))
    }
}
