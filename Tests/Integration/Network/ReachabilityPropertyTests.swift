import Glibc
import Location
import Platform
import Reachability
import TestClients
import TestSupport
import TestTraits
import Testing

/// The reports of a running daemon, compared with those of a newly started one, after random changes of the kernel.
@Suite(.waits, .enabled(if: PrivateNetwork.isPossible, "creating a network namespace needs root"), .serialized)
struct ReachabilityPropertyTests {
    private static let steps = 10_000

    @Test func `whatever changes in the kernel, a running daemon reports the same as a new one`() throws {
        var random = SeededGenerator()
        let network = try TestNetwork(.both, uplinks: 2)
        let hosts = [
            (TestNetwork.worldIPv4, 0), (TestNetwork.worldIPv6, 0), (TestNetwork.worldIPv4, 65_534),
            (TestNetwork.routerIPv4(1), 0), (TestNetwork.routerIPv6(1), 0), ("127.0.0.1", 0),
        ].compactMap { TargetKey($0, uid: UInt32($1)) }
        let watched = try WatchedKernel(network.machine, hosts: hosts)
        var disorder = NetworkDisorder(network, SeededGenerator(seed: random.next()))
        var done = 0
        while done < Self.steps {
            // The smaller the kernel's buffer, the more announcements are lost.
            watched.narrow(to: [2_304, 2_304, 16_384, 1 << 20][Int.random(in: 0..<4, using: &random)])
            let count = Int.random(in: 1...40, using: &random)
            for _ in 0..<count {
                try disorder.step()
                if Int.random(in: 0..<3, using: &random) == 0 {
                    watched.iterate(after: .milliseconds(Int.random(in: 0...400, using: &random)))
                }
            }
            done += count
            // The kernel passes on some changes later: a lost carrier within a second.
            var difference: String?
            let isSame = eventually(within: Patience.daemon) {
                watched.calmDown()
                difference = watched.difference()
                return difference == nil
            }
            let seed = "\(random), after \(done) steps"
            if !isSame {
                let history = disorder.history.suffix(60).joined(separator: "\n")
                Issue.record("\(seed): \(difference ?? "")\n\(history)\n\(try disorder.state())")
                return
            }
            try #require(watched.problems.isEmpty, "\(seed): \(watched.problems.first ?? "")")
            if done % 7 == 0 { try disorder.mend() }
        }
        print(
            "\(done) steps, \(disorder.taken) of them taken, \(watched.updates) updates, \(watched.evaluations) looks,",
            "\(watched.overruns) overruns, \(watched.messages) messages")
        #expect(watched.overruns > 0 && disorder.taken > Self.steps / 4)
    }
}
