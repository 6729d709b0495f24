import Glibc
import Interfaces
import Platform
import TestSupport
import Testing
import Varlink

@testable import Daemon
@testable import Storage

/// Programs that start services of apps, when manifests, the configuration or the inspector change.
@Suite struct WakerServiceTests {
    init() { LoopThread.start() }

    /// A program that is registered, and serves one app.
    @DaemonActor private func registered(
        _ kind: WakerBench.Kind
    ) async throws -> (bench: WakerBench, program: WakerBench.Program) {
        let bench = try await WakerBench(kind)
        let program = try bench.connect()
        try bench.install("trailmap")
        #expect(try await eventually { () async throws -> Bool in program.watched == [["trailmap"]] })
        #expect(bench.waker.serves(bench.app("trailmap")))
        return (bench, program)
    }

    @Test(arguments: WakerBench.Kind.allCases) @DaemonActor
    func `a program that starts services is sent the apps when they change, and only then`(
        _ kind: WakerBench.Kind
    ) async throws {
        let (bench, program) = try await registered(kind)
        bench.waker.review()
        try bench.install("compass")
        #expect(try await eventually { () async throws -> Bool in program.watched.count > 1 })
        bench.waker.review()
        bench.remove("compass")
        #expect(try await eventually { () async throws -> Bool in program.watched.last == ["trailmap"] })
        #expect(program.watched == [["trailmap"], ["compass", "trailmap"], ["trailmap"]])
        #expect(bench.waker.serves(bench.app("trailmap")) && program.failure == nil)
        await bench.close()
    }

    @Test(arguments: WakerBench.Kind.allCases) @DaemonActor
    func `a program that starts services remains registered without an inspector, and its reports are handled`(
        _ kind: WakerBench.Kind
    ) async throws {
        let (bench, program) = try await registered(kind)
        try await bench.loseInspector()
        try bench.install("compass")
        #expect(try await eventually { () async throws -> Bool in program.watched.count > 1 })
        #expect(program.watched == [["trailmap"], ["compass", "trailmap"]])
        // Reports have a connection of their own.
        #expect(try await bench.report() == nil)
        bench.inspector.comeBack()
        try await bench.settle()
        #expect(bench.waker.serves(bench.app("compass")) && program.failure == nil)
        await bench.close()
    }

    @Test(arguments: WakerBench.Kind.allCases) @DaemonActor
    func `a program that starts services is refused once the inspector says that it runs another program`(
        _ kind: WakerBench.Kind
    ) async throws {
        let (bench, program) = try await registered(kind)
        try await bench.loseInspector()
        #expect(try await bench.report() == nil)
        bench.inspector.report("/usr/bin/waymark-test-other", of: getpid())
        bench.waker.review()
        #expect(bench.waker.serves(bench.app("trailmap")))
        bench.inspector.comeBack()
        #expect(try await eventually { () async throws -> Bool in program.isRefused })
        #expect(!bench.waker.serves(bench.app("trailmap")))
        #expect(try await bench.report() != nil)
        try await bench.loseInspector()
        #expect(try await bench.report() != nil, "only what is registered goes on without an inspector")
        await bench.close()
    }

    @Test @DaemonActor func `an agent that the configuration does not name any more starts no services`() async throws {
        let (bench, program) = try await registered(.user)
        bench.agents.programs = AgentPrograms([])
        bench.waker.review()
        #expect(!bench.waker.serves(bench.app("trailmap")))
        #expect(try await eventually { () async throws -> Bool in program.isRefused })
        await bench.close()
    }

    @Test @DaemonActor func `an agent that becomes an app by a manifest starts no services`() async throws {
        let (bench, program) = try await registered(.user)
        try bench.install("agent", program: WakerBench.agent)
        #expect(try await eventually { () async throws -> Bool in program.isRefused })
        #expect(!bench.waker.serves(bench.app("trailmap")))
        await bench.close()
    }

    @Test(arguments: WakerBench.Kind.allCases) @DaemonActor
    func `a report that a person has stopped a service is confirmed when that is stored`(
        _ kind: WakerBench.Kind
    ) async throws {
        let (bench, _) = try await registered(kind)
        #expect(try await bench.report(WakerInterface.ReportService(app: "trailmap", observation: .stopped)) == nil)
        #expect(bench.hasStoredRecord("trailmap"))
        await bench.close()
    }

    @Test(arguments: WakerBench.Kind.allCases) @DaemonActor
    func `a report that cannot be stored is stored when the journal can be written again`(
        _ kind: WakerBench.Kind
    ) async throws {
        let (bench, _) = try await registered(kind)
        let lock = try bench.lockJournal()
        #expect(try await bench.report(WakerInterface.ReportService(app: "trailmap", observation: .stopped)) == nil)
        #expect(!bench.hasStoredRecord("trailmap"))
        try lock.execute("ROLLBACK", as: "unlock")
        #expect(try await eventually { () async throws -> Bool in bench.hasStoredRecord("trailmap") })
        let unknown = WakerInterface.ReportService(app: "compass", observation: .stopped)
        #expect(try await bench.report(unknown) == nil, "a report without an effect is confirmed at once")
        await bench.close()
    }
}
