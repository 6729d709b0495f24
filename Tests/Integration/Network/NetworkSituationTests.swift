import Location
import NetworkPaths
import TestClients
import TestSupport
import TestTraits
import Testing

/// A situation in a network with one or two versions of the protocol, and the affected ones.
struct SituationCase: Sendable, CustomTestStringConvertible {
    let situation: NetworkSituation
    /// The versions of the protocol in the network.
    let family: TestNetwork.Family
    /// The part of the network that is changed.
    let affected: [IPAddress.Family]

    var testDescription: String { "\(situation.name), \(affected.map(\.rawValue)) of \(family)" }

    /// All situations, with each network that they can happen in.
    static let all = (NetworkSituation.losses + NetworkSituation.moves).flatMap { situation in
        var cases: [SituationCase] = []
        for family in situation.families {
            let alone: TestNetwork.Family = family == .ipv4 ? .ipv4 : .ipv6
            cases.append(SituationCase(situation: situation, family: alone, affected: [family]))
            if situation.isOfOneFamily {
                cases.append(SituationCase(situation: situation, family: .both, affected: [family]))
            }
        }
        if situation.families.count == 2 {
            cases.append(SituationCase(situation: situation, family: .both, affected: situation.families))
        }
        return cases
    }

    /// Whether the kernel itself has the expected route, for a program that would send to any host of the world.
    func isSoInKernel(_ network: TestNetwork) throws -> Bool {
        try network.families.allSatisfy { try isSoInKernel(network, $0) }
    }

    /// Whether the kernel itself has the same routes as before.
    func isUndoneInKernel(_ network: TestNetwork) throws -> Bool {
        let link = try network.machine.ip("address show dev up0")
        return try !link.contains("NO-CARRIER") && link.contains("LOWER_UP")
            && network.world.allSatisfy { try network.machine.ip("route get \($0)").contains(" dev up0 ") }
    }

    /// The kernel's own route to a host of the world, from ip-route(8): whether it is as the
    /// situation expects. Independent of any code of the project.
    private func isSoInKernel(_ network: TestNetwork, _ family: IPAddress.Family) throws -> Bool {
        let answer: String
        do { answer = try network.machine.ip("route get \(family.world)") } catch let failure as PrivateNetwork.Failure
        {
            answer = failure.description
        }
        guard affected.contains(family) else { return answer.contains(" dev up0 ") }
        switch situation.outcome {
        case .moved(let name): return answer.contains(" dev \(name) ")
        case .lost(_, let reason):
            switch reason {
            case .noRoute: return answer.contains("Network is unreachable")
            case .unreachableRoute: return answer.contains("No route to host")
            case .prohibited: return answer.contains("Permission denied")
            case .blackhole: return answer.contains("Invalid argument")
            case .noCarrier: return try network.machine.ip("address show dev up0").contains("NO-CARRIER")
            case .noAddress: return answer.contains(" src fe80::")
            case .addressTentative:
                return try network.machine.ip("address show dev up0 tentative").contains(" scope global tentative")
            case .gatewayNotAnswering:
                return try network.machine.ip("neigh show \(family.router()) dev up0 nud failed").contains("FAILED")
            default: return false
            }
        }
    }
}

/// The situations change the kernel as they say, without any program of the project.
@Suite(.waits, .enabled(if: PrivateNetwork.isPossible, "creating a network namespace needs root"))
struct NetworkSituationTests {
    @Test(arguments: SituationCase.all)
    func `a situation has its expected result, and is undone`(_ example: SituationCase) throws {
        let situation = example.situation
        let network = try TestNetwork(example.family, uplinks: situation.uplinks)
        try situation.prepare(network, example.affected)
        for _ in 0..<2 {
            try situation.operate(network, example.affected)
            #expect(try eventually(within: 60) { try example.isSoInKernel(network) })
            try situation.undo(network, example.affected)
            #expect(try eventually(within: 60) { try example.isUndoneInKernel(network) })
        }
    }
}
