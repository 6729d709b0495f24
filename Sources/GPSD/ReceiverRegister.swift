/// The receivers of gpsd, with the time of their last report.
///
/// gpsd may lose a device without reporting it while the socket stays open. Only the missing reports show it.
public struct ReceiverRegister: Equatable, Sendable {
    /// One receiver.
    public struct Receiver: Equatable, Sendable {
        /// gpsd's information about it.
        public var device: Device
        /// When it last reported anything, or appeared; nanoseconds of CLOCK_MONOTONIC.
        public var heardAt: UInt64
        /// When it last sent a time-position-velocity report, with or without a position; nil if it never has.
        public var positionReportedAt: UInt64?
        /// When it counts as stale.
        public var deadline: UInt64
        /// Whether it counts as stale.
        public var isStale = false
    }

    /// The limit; gpsd 3.22 has at most 4.
    static let maximumReceivers = 64

    /// By gpsd's name of the device; the empty name is for reports without one.
    public private(set) var byPath: [String: Receiver] = [:]
    /// The number of receivers beyond the limit.
    public private(set) var dropped = 0

    /// The next deadline of a receiver.
    var nextDeadline: UInt64? {
        byPath.values.lazy.filter { !$0.isStale }.map(\.deadline).min()
    }

    /// The last deadline of all receivers, which may have passed; nil without receivers.
    var lastDeadline: UInt64? { byPath.values.lazy.map(\.deadline).max() }

    /// Updates the receivers from a report, and returns their changes.
    mutating func note(
        _ report: Report, at now: UInt64, patience: UInt64
    ) -> [(String, Session.ReceiverChange)] {
        switch report {
        case .tpv(let tpv):
            let changes = hear(tpv.receiver, at: now, patience)
            byPath[tpv.receiver]?.positionReportedAt = now
            return changes
        case .device(let device):
            return device.isPresent ? add(device, at: now, patience) : remove(device.path)
        case .devices(let devices):
            let present = devices.filter(\.isPresent)
            let vanished = byPath.keys.filter { path in !path.isEmpty && !present.contains { $0.path == path } }
            return vanished.sorted().flatMap { remove($0) } + present.flatMap { add($0, at: now, patience) }
        default:
            // Satellites, ships or corrections: the device works, whether or not it has a position.
            guard let path = report.source, byPath[path] != nil else { return [] }
            return hear(path, at: now, patience)
        }
    }

    /// Marks the receivers whose deadline has passed as stale, and returns their names.
    mutating func expire(at now: UInt64) -> [String] {
        let silent = byPath.filter { !$0.value.isStale && $0.value.deadline <= now }.keys.sorted()
        for path in silent { byPath[path]?.isStale = true }
        return silent
    }

    private mutating func hear(
        _ path: String, at now: UInt64, _ patience: UInt64
    ) -> [(String, Session.ReceiverChange)] {
        guard var receiver = byPath[path] else { return add(Device(path: path), at: now, patience) }
        let wasStale = receiver.isStale
        receiver.heardAt = now
        receiver.deadline = now + Self.patience(with: receiver.device, atLeast: patience)
        receiver.isStale = false
        byPath[path] = receiver
        return wasStale ? [(path, .recovered)] : []
    }

    private mutating func add(
        _ device: Device, at now: UInt64, _ patience: UInt64
    ) -> [(String, Session.ReceiverChange)] {
        if byPath[device.path] != nil {
            byPath[device.path]?.device = device
            return []
        }
        guard byPath.count < Self.maximumReceivers else {
            dropped += 1
            return []
        }
        let deadline = now + Self.patience(with: device, atLeast: patience)
        byPath[device.path] = Receiver(device: device, heardAt: now, deadline: deadline)
        return [(device.path, .appeared)]
    }

    private mutating func remove(_ path: String) -> [(String, Session.ReceiverChange)] {
        byPath.removeValue(forKey: path) == nil ? [] : [(path, .removed)]
    }

    /// 3 cycles of a slow receiver. A reported cycle of more than 5 minutes is treated as an error.
    private static func patience(with device: Device, atLeast patience: UInt64) -> UInt64 {
        guard let cycle = device.cycleSeconds, cycle > 0, cycle <= 300 else { return patience }
        return max(patience, UInt64(cycle * 3_000_000_000))
    }
}
