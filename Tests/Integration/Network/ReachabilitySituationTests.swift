import NetworkPaths
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing

/// Losses of the network, reported by a daemon without any rights.
@Suite(
    .waits,
    .enabled(
        if: PrivateNetwork.isPossible && OtherUser.isPossible,
        "a network namespace with another user in it needs root"))
struct ReachabilitySituationTests {
    @Test(arguments: SituationCase.all)
    func `a change is reported once, also after an overrun, and a new daemon reports it too`(
        _ example: SituationCase
    ) throws {
        let network = try TestNetwork(example.family, uplinks: example.situation.uplinks)
        try example.situation.prepare(network, example.affected)
        let run = SituationRun(example, try ReachabilityScene(network))
        try #require(try run.scene.begins(), "\(run.scene.story)")
        do {
            try run.change(.plain)
            try run.undo(.plain)
            try run.change(.overrun)
            try run.undo(.overrun)
            try run.change(.plain)
            try run.restart(isChanged: true)
            try run.undo(.plain)
            try run.restart(isChanged: false)
        } catch is SituationRun.Forgotten {
            print("the kernel has forgotten: \(example.testDescription)")
        }
    }
}

/// A situation that is applied and undone while a daemon runs.
private struct SituationRun {
    /// The daemon's condition at the same time.
    enum Disturbance {
        case plain, overrun
    }

    /// The kernel has ended the situation by itself, and the daemon reports that.
    struct Forgotten: Error {}

    let example: SituationCase
    let scene: ReachabilityScene

    init(_ example: SituationCase, _ scene: ReachabilityScene) {
        self.example = example
        self.scene = scene
    }

    private var situation: NetworkSituation { example.situation }
    private var network: TestNetwork { scene.network }

    /// Applies the situation, and checks the reports about it.
    func change(_ disturbance: Disturbance) throws {
        let counts = scene.streams.map(\.reported.count)
        try perform(situation.operate, disturbance, until: example.isSoInKernel)
        let isReported = try scene.eventually { zip(scene.streams, counts).allSatisfy(isAsExpected) }
        try checkKernel()
        try #require(isReported, "\(situation.name), \(disturbance): \(scene.story)")
        for (stream, count) in zip(scene.streams, counts) where !isUntouched(stream) {
            if isExact(stream) { #expect(stream.reported.count - count == 1, "\(disturbance): \(stream)") }
        }
        expectGenerations(from: counts)
    }

    /// Undoes the situation, and checks that the reports are as before.
    func undo(_ disturbance: Disturbance) throws {
        try checkKernel()
        let counts = scene.streams.map(\.reported.count)
        try perform(situation.undo, disturbance, until: example.isUndoneInKernel)
        let isReported = try scene.eventually {
            scene.streams.allSatisfy { $0.last?.content == $0.reported.first?.content }
        }
        try #require(isReported, "after \(situation.name), \(disturbance): \(scene.story)")
        for (stream, count) in zip(scene.streams, counts) {
            let expected = isUntouched(stream) ? 0 : 1
            if isExact(stream) { #expect(stream.reported.count - count == expected, "\(disturbance): \(stream)") }
        }
        expectGenerations(from: counts)
    }

    /// A new daemon immediately reports the same as the last report of the old one.
    func restart(isChanged: Bool) throws {
        let before = scene.streams.map { $0.last?.content }
        let counts = scene.streams.map(\.reported.count)
        try scene.restart()
        let isReported = try scene.eventually { zip(scene.streams, counts).allSatisfy { $0.reported.count > $1 } }
        try #require(isReported, "a new daemon reports nothing: \(scene.story)")
        if isChanged { try checkKernel() }
        for (index, stream) in scene.streams.enumerated() {
            let first = stream.reported[counts[index]]
            if isChanged, stream.host == nil, example.affected.count > 1 {
                // The path of both versions changes in two steps, and the old daemon may have reported the first one only.
                #expect(isAsExpected(stream, after: counts[index]), "a new daemon: \(stream)")
                #expect(first.isGood == stream.reported[counts[index] - 1].isGood, "a new daemon: \(stream)")
            } else {
                #expect(first.content == before[index], "a new daemon: \(stream)")
            }
        }
    }

    /// Checks that the kernel has not ended the situation by itself.
    private func checkKernel() throws {
        guard situation.isForgettable, try !example.isSoInKernel(network) else { return }
        throw Forgotten()
    }

    /// Does something, and waits until the kernel has done it.
    private func perform(
        _ step: NetworkSituation.Step, _ disturbance: Disturbance, until isDone: (TestNetwork) throws -> Bool
    ) throws {
        // The kernel announces the loss of a carrier with a delay, and a stopped daemon queries the kernel as soon as
        // it continues.
        func performWhole() throws {
            try step(network, example.affected)
            let isDone = try eventually(within: 60) { try isDone(network) }
            #expect(isDone, "the kernel does not reach the expected state")
        }
        switch disturbance {
        case .plain: try performWhole()
        case .overrun: try scene.overwhelm(performWhole)
        }
    }

    /// Whether the subject of the stream does not change at all.
    private func isUntouched(_ stream: NetworkStream) -> Bool {
        guard let host = stream.host else { return false }
        return !example.affected.contains { $0.world == host }
    }

    /// Whether it changes in one step: a path does not if one version of the protocol is lost after the other.
    private func isExact(_ stream: NetworkStream) -> Bool {
        situation.isOneStep && (stream.host != nil || example.affected.count == 1)
    }

    private func isAsExpected(_ stream: NetworkStream, after count: Int) -> Bool {
        guard let last = stream.last else { return false }
        if isUntouched(stream) { return stream.reported.count == count }
        switch situation.outcome {
        case .moved(let name): return last.isGood && last.interface == name
        case .lost(let status, let reason):
            if stream.host == nil {
                // A path is good as long as one version of the protocol is left.
                let ipv4 = network.families.contains(.ipv4) && !example.affected.contains(.ipv4)
                let ipv6 = network.families.contains(.ipv6) && !example.affected.contains(.ipv6)
                guard last.json["supportsIPv4"]?.boolValue == ipv4, last.json["supportsIPv6"]?.boolValue == ipv6 else {
                    return false
                }
                return ipv4 || ipv6 ? last.isGood : last.status == status.rawValue && last.reason == reason
            }
            let word: TargetReachability.Status = status == .requiresConnection ? .requiresConnection : .unreachable
            return last.status == word.rawValue && last.reason == reason
        }
    }

    /// Every update counts as a change of its own.
    private func expectGenerations(from counts: [Int]) {
        for (stream, count) in zip(scene.streams, counts) {
            for index in max(1, count)..<max(1, stream.reported.count) {
                #expect(stream.reported[index].generation > stream.reported[index - 1].generation, "\(stream)")
            }
        }
    }
}
