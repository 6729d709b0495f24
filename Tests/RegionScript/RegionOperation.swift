import TestSupport

/// A change of a store of regions.
public enum RegionOperation: Equatable, Sendable {
    /// A decision about a region, with an event.
    public struct Decision: Equatable, Sendable {
        var monitor: String
        var identifier: String
        var isInside: Bool
    }

    case add(String, [String], radius: Double)
    /// Staged in three calls, and committed.
    case importAll(String, [String], radius: Double)
    case remove(String, [String])
    case removeMonitor(String)
    case record([Decision])
    case acknowledge(String, Int64)
    case forget
    case erase

    /// The operation of this number of a script, which depends on what was done before.
    public static func next(_ number: Int, of seed: UInt64, after model: RegionModel) -> RegionOperation {
        var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
        let name = Bool.random(using: &random) ? "yard" : "depot"
        func identifiers(_ counts: ClosedRange<Int>, of all: Int) -> [String] {
            let numbers = Array(0..<all).shuffled(using: &random).prefix(Int.random(in: counts, using: &random))
            return numbers.map { "stop \($0)" }
        }
        let radius = Double(number + 1)
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<8: return .add(name, identifiers(1...6, of: 12), radius: radius)
        case 8..<12: return .remove(name, identifiers(1...4, of: 12))
        case 12: return .removeMonitor(name)
        case 13..<18: return .importAll(name, identifiers(6...15, of: 20), radius: radius)
        case 18..<31:
            let regions = model.monitors.sorted { $0.key < $1.key }.flatMap { name, monitor in
                monitor.regions.keys.sorted().map { (name, $0) }
            }
            let chosen = regions.shuffled(using: &random).prefix(Int.random(in: 1...5, using: &random))
            return .record(
                chosen.map { Decision(monitor: $0.0, identifier: $0.1, isInside: Bool.random(using: &random)) })
        case 31..<38:
            return .acknowledge(name, Int64.random(in: 0...(model.monitors[name]?.last ?? 0), using: &random))
        case 38: return .forget
        default: return .erase
        }
    }
}
