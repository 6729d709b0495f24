import NetlinkRecording
import Platform
import TestSupport

/// A recorded situation, Tests/Fixtures/netlink/situations.txt.
struct Situation: CustomStringConvertible, Sendable {
    /// A line of the file: its first word and the rest.
    struct Step: Sendable {
        let word: String
        let rest: String
    }

    /// A step of the file that cannot be performed.
    struct Failure: Error {
        let description: String
    }

    let name: String
    let steps: [Step]

    var description: String { name }

    /// All situations, in the order of the file.
    static let all: [Situation] = {
        do { return try read() } catch { preconditionFailure("\(error)") }
    }()

    private static func read() throws -> [Situation] {
        let bytes = try BoundedFile.bytes(of: Products.fixture("netlink/situations.txt"), limit: 65_536)
        var situations: [Situation] = []
        var name: String?
        var steps: [Step] = []
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            let step = Step(word: parts[0], rest: parts.count > 1 ? parts[1] : "")
            guard step.word == "situation" else {
                steps.append(step)
                continue
            }
            if let name { situations.append(Situation(name: name, steps: steps)) }
            (name, steps) = (step.rest, [])
        }
        return situations + (name.map { [Situation(name: $0, steps: steps)] } ?? [])
    }

    /// The recording of the situation.
    func recording() throws -> NetlinkRecording {
        try NetlinkRecording(file: Products.fixture("netlink/\(name).txt"))
    }

    /// Whether a test can recreate it: a tunnel needs a program that opens it.
    var isReproducible: Bool { !steps.contains { $0.word == "tun" } }

    /// Recreates the situation.
    func make() throws -> TestNetwork {
        let words = steps.first { $0.word == "network" }?.rest.split(separator: " ") ?? []
        guard words.count == 2, let family = TestNetwork.Family(rawValue: String(words[0])),
            let uplinks = Int(words[1])
        else { throw Failure(description: "\(name) has no network") }
        let network = try TestNetwork(family, uplinks: uplinks)
        for step in steps { try perform(step, in: network) }
        return network
    }

    private func perform(_ step: Step, in network: TestNetwork) throws {
        switch step.word {
        case "machine": try network.machine.ip(step.rest)
        case "far": try network.far.ip(step.rest)
        case "knock": try network.knock(step.rest)
        case "set":
            let parts = step.rest.split(separator: "=").map(String.init)
            try network.machine.set(parts[0], parts[1])
        case "await":
            let parts = step.rest.split(separator: " ", maxSplits: 1).map(String.init)
            let hasCome = try eventually(within: 60) { try network.machine.ip(parts[1]).contains(parts[0]) }
            if !hasCome { throw Failure(description: "\(name): no \(parts[0])") }
        case "about", "network", "then": break
        default: throw Failure(description: "\(name): unknown word \(step.word)")
        }
    }
}
