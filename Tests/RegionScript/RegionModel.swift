import RegionStorage

/// What a store of regions should contain, in the simplest form.
public struct RegionModel: Equatable, Sendable, CustomStringConvertible {
    /// A region: its radius shows which addition it is from.
    public struct Region: Equatable, Sendable {
        var radius: Double
        var state: String
    }

    /// An event as a reader sees it.
    public struct Event: Equatable, Sendable {
        var sequence: Int64
        var identifier: String?
        var kind: String
        var lost: Int64?
    }

    /// A monitor.
    public struct Monitor: Equatable, Sendable {
        var regions: [String: Region] = [:]
        var last: Int64 = 0
        var acknowledged: Int64 = 0
        var dropped: Int64 = 0
        var events: [Event] = []

        /// What a reader gets that has seen nothing.
        var readable: Monitor {
            var readable = self
            if dropped > acknowledged {
                readable.events.insert(
                    Event(sequence: dropped, identifier: nil, kind: "overflowed", lost: dropped - acknowledged), at: 0)
            }
            readable.dropped = 0
            return readable
        }
    }

    /// The most pending events of a monitor.
    public static let pendingEvents = 6

    /// By names.
    public var monitors: [String: Monitor] = [:]

    /// Nothing.
    public init() {}

    /// The model as it is read from a store.
    public var readable: RegionModel {
        var readable = RegionModel()
        readable.monitors = monitors.mapValues(\.readable)
        return readable
    }

    /// For a failing test.
    public var description: String {
        monitors.sorted { $0.key < $1.key }.map { name, monitor in
            let regions = monitor.regions.sorted { $0.key < $1.key }.map {
                "\($0.key)=\($0.value.radius)/\($0.value.state)"
            }
            let events = monitor.events.map { "\($0.sequence)\($0.kind.first ?? "?")" }
            return
                "\(name) \(monitor.acknowledged)/\(monitor.last) \(regions.joined(separator: " ")) [\(events.joined(separator: " "))]"
        }.joined(separator: "; ")
    }

    /// Does what an operation does.
    public mutating func apply(_ operation: RegionOperation) {
        switch operation {
        case .add(let name, let identifiers, let radius), .importAll(let name, let identifiers, let radius):
            for identifier in identifiers {
                monitors[name, default: Monitor()].regions[identifier] = Region(radius: radius, state: "undetermined")
            }
        case .remove(let name, let identifiers):
            for identifier in identifiers { monitors[name]?.regions[identifier] = nil }
        case .removeMonitor(let name): monitors[name] = nil
        case .record(let decisions):
            for decision in decisions {
                guard var monitor = monitors[decision.monitor] else { continue }
                monitor.regions[decision.identifier]?.state = decision.isInside ? "inside" : "outside"
                monitor.last += 1
                monitor.events.append(
                    Event(
                        sequence: monitor.last, identifier: decision.identifier,
                        kind: decision.isInside ? "entered" : "left"))
                monitors[decision.monitor] = monitor
            }
            for (name, var monitor) in monitors where monitor.events.count > Self.pendingEvents {
                monitor.events.removeFirst(monitor.events.count - Self.pendingEvents)
                monitor.dropped = monitor.last - Int64(Self.pendingEvents)
                monitors[name] = monitor
            }
        case .acknowledge(let name, let sequence):
            guard var monitor = monitors[name] else { return }
            monitor.acknowledged = max(monitor.acknowledged, sequence)
            monitor.events.removeAll { $0.sequence <= sequence }
            monitors[name] = monitor
        case .forget:
            for (name, var monitor) in monitors {
                monitor.events = []
                monitor.acknowledged = monitor.last
                monitor.regions = monitor.regions.mapValues { Region(radius: $0.radius, state: "unauthorized") }
                monitors[name] = monitor
            }
        case .erase: monitors = [:]
        }
    }
}
