import Platform
import Testing

@testable import Varlink

/// Who may still connect when other users have reached their limits.
@Suite struct ConnectionShareTests {
    private func limits(_ most: Int, perUser: Int = 64) -> ServerLimits {
        var limits = ServerLimits()
        (limits.maximumConnections, limits.maximumConnectionsPerUser) = (most, perUser)
        return limits
    }

    @Test func `what everybody else takes leaves the reserve to operators and root, and theirs leaves some to root`() {
        let limits = limits(16_384)
        var counts = ConnectionCounts()
        var accounts: UInt32 = 1_000
        while counts.refusal(of: .account(accounts), under: limits) != .inAll {
            while counts.refusal(of: .account(accounts), under: limits) == nil { counts.add(.account(accounts)) }
            accounts += 1
        }
        #expect(counts.total == 16_384 - 16 - 128)
        #expect(counts.refusal(of: .unaccounted, under: limits) == .inAll)
        for user: UInt32 in 1...3 {
            while counts.refusal(of: .operator(user), under: limits) == nil { counts.add(.operator(user)) }
        }
        #expect(counts.total == 16_384 - 16)
        while counts.refusal(of: .root, under: limits) == nil { counts.add(.root) }
        #expect(counts.total == 16_384)
        counts.remove(.root)
        #expect(counts.refusal(of: .root, under: limits) == nil)
    }

    @Test func `user ids without an account have one share together`() {
        let limits = limits(16_384)
        var counts = ConnectionCounts()
        for _ in 0..<64 { counts.add(.unaccounted) }
        #expect(counts.refusal(of: .unaccounted, under: limits) == .forUser)
        #expect(counts.refusal(of: .account(1_000), under: limits) == nil)
        counts.remove(.unaccounted)
        #expect(counts.refusal(of: .unaccounted, under: limits) == nil)
    }

    @Test func `a server with few connections keeps most of them for everybody`() {
        var counts = ConnectionCounts()
        for _ in 0..<6 { counts.add(.account(1)) }
        #expect(counts.refusal(of: .account(2), under: limits(8)) == .inAll)
        #expect(counts.refusal(of: .operator(2), under: limits(8)) == nil)
        #expect(counts.refusal(of: .account(2), under: limits(7)) == nil)
    }
}
