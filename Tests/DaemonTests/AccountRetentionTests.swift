import Journal
import Platform
import TestSupport
import Testing

@testable import Daemon

/// To whom stored data belongs while not all of it is known, and commands of operators that meet.
@Suite struct AccountRetentionTests {
    private static let present = StoredAccount(name: "alice")
    private static let renamed = StoredAccount(name: "alice", state: .renamed, otherName: "bob")

    init() { LoopThread.start() }

    @Test @DaemonActor
    func `an account with another name at the start is suspended until it is known that there are no regions`()
        async throws
    {
        let bench = try AccountRetentionBench(Self.present, now: "bob")
        try await bench.open()
        #expect(bench.account?.state == .renamed && bench.account?.name == "alice")
        #expect(bench.account?.otherName == "bob" && bench.isSuspended)
        try await bench.openRegions()
        #expect(bench.account == StoredAccount(name: "bob") && !bench.isSuspended)
        await bench.close()
    }

    @Test(arguments: [false, true]) @DaemonActor
    func `the data of an account that gets another name is assigned only if it is known that there are no regions`(
        areRegionsKnown: Bool
    ) async throws {
        let bench = try AccountRetentionBench(Self.present, now: "alice")
        try await bench.open()
        if areRegionsKnown { try await bench.openRegions() }
        try bench.rename(to: "bob")
        if areRegionsKnown {
            #expect(bench.account == StoredAccount(name: "bob") && !bench.isSuspended)
        } else {
            #expect(bench.account?.state == .renamed && bench.account?.name == "alice")
            #expect(bench.isSuspended)
        }
        await bench.close()
    }

    @Test @DaemonActor
    func `data that is being erased is not restored`() async throws {
        let bench = try AccountRetentionBench(Self.renamed, now: "bob")
        try await bench.open()
        try await bench.openRegions()
        bench.erase()
        bench.restore()
        try await bench.finish()
        #expect(bench.erasure == .done && bench.restoration == .notSuspended)
        await bench.close()
    }

    @Test @DaemonActor
    func `data that is being restored is not erased`() async throws {
        let bench = try AccountRetentionBench(Self.renamed, now: "bob")
        try await bench.open()
        try await bench.openRegions()
        bench.restore()
        bench.erase()
        try await bench.finish()
        #expect(bench.erasure == .notSuspended && bench.restoration == .done)
        #expect(bench.account == StoredAccount(name: "bob") && !bench.isSuspended)
        await bench.close()
    }

    @Test @DaemonActor
    func `data whose erasure begins while a restoration looks up the account is not restored`() async throws {
        let isReleased = Flag()
        defer { isReleased.set() }
        let bench = try AccountRetentionBench(Self.renamed, now: nil) { _ in
            _ = eventually { isReleased.isSet }
            return .present(name: "bob", isLocal: false)
        }
        try await bench.open()
        try await bench.openRegions()
        bench.restore()
        bench.erase()
        isReleased.set()
        try await bench.finish()
        #expect(bench.erasure == .done && bench.restoration == .notSuspended)
        await bench.close()
    }
}
