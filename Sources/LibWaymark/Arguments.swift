import CWaymark
import Glibc
import Interfaces
import Location
import NetworkPaths

/// An argument that is not accepted: a positive errno value.
struct InvalidArgument: Error {
    let code: Int32

    init(_ code: Int32 = EINVAL) { self.code = code }
}

/// Reads what programs pass.
enum Arguments {
    /// A text that may be NULL.
    static func optionalText(_ text: UnsafePointer<CChar>?) throws(InvalidArgument) -> String? {
        guard let text else { return nil }
        guard let string = String(validatingCString: text) else { throw InvalidArgument(EILSEQ) }
        return string
    }

    /// A text.
    static func text(_ text: UnsafePointer<CChar>?) throws(InvalidArgument) -> String {
        guard let string = try optionalText(text) else { throw InvalidArgument() }
        return string
    }

    /// A number within a limit; nil for the default, which negative numbers and NAN stand for.
    static func number(_ number: Double, to limit: Double) throws(InvalidArgument) -> Double? {
        guard number >= 0 else { return nil }
        guard number <= limit else { throw InvalidArgument() }
        return number
    }

    /// A structure that begins with its size. One of a later release may be larger, if everything that this release does
    /// not know is zero.
    static func structure<Structure>(_ pointer: UnsafePointer<Structure>) throws(InvalidArgument) -> Structure {
        let bytes = UnsafeRawPointer(pointer)
        let size = bytes.load(as: Int.self)
        let known = MemoryLayout<Structure>.size
        guard size >= known, size <= 1 << 12 else { throw InvalidArgument() }
        for offset in known..<size where bytes.load(fromByteOffset: offset, as: UInt8.self) != 0 {
            throw InvalidArgument(E2BIG)
        }
        return pointer.pointee
    }

    /// The parameters of a monitor of positions.
    static func monitor(
        _ pointer: UnsafePointer<waymark_monitor_options>?
    ) throws(InvalidArgument) -> LocationInterface.Monitor {
        guard let pointer else { return LocationInterface.Monitor() }
        let options = try structure(pointer)
        let types: [LocationInterface.ActivityType] = [
            .other, .automotiveNavigation, .fitness, .otherNavigation, .airborne,
        ]
        let flags = options.flags
        guard types.indices.contains(Int(options.activity_type)), flags < 1 << 3 else { throw InvalidArgument() }
        func flag(_ flag: waymark_monitor_flag) -> Bool? { flags & flag.rawValue == 0 ? nil : true }
        let type = types[Int(options.activity_type)]
        return LocationInterface.Monitor(
            desiredAccuracy: try number(options.desired_accuracy, to: 40_000_000),
            distanceFilter: try number(options.distance_filter, to: 40_000_000),
            interval: try number(options.interval, to: 86_400), activityType: type == .other ? nil : type,
            firstReport: flag(WAYMARK_MONITOR_FIRST_REPORT),
            significantChanges: flag(WAYMARK_MONITOR_SIGNIFICANT_CHANGES),
            pausesAutomatically: flag(WAYMARK_MONITOR_PAUSES),
            maximumDelay: try number(options.maximum_delay, to: 86_400))
    }

    /// The parameters of one position.
    static func position(
        _ pointer: UnsafePointer<waymark_position_options>?
    ) throws(InvalidArgument) -> LocationInterface.GetPosition {
        guard let pointer else { return LocationInterface.GetPosition() }
        let options = try structure(pointer)
        return LocationInterface.GetPosition(
            desiredAccuracy: try number(options.desired_accuracy, to: 40_000_000),
            maximumAge: try number(options.maximum_age, to: 86_400), timeout: try number(options.timeout, to: 600))
    }

    /// One of `enum waymark_activity`.
    static func activity(_ number: Int32) throws(InvalidArgument) -> Activity {
        let activities: [Activity] = [.active, .inactive, .background, .suspended]
        guard activities.indices.contains(Int(number)) else { throw InvalidArgument() }
        return activities[Int(number)]
    }

    /// One of `enum waymark_cause` that a program can name.
    static func cause(_ number: Int32) throws(InvalidArgument) -> WakingInterface.Cause {
        guard let cause = WakeCauses.known.first(where: { Int32($0.number.rawValue) == number })?.word else {
            throw InvalidArgument()
        }
        return cause
    }

    /// One of `enum waymark_outcome`.
    static func outcome(_ number: Int32) throws(InvalidArgument) -> ReportedOutcome {
        let outcomes: [ReportedOutcome] = [.answered, .failed, .captive, .limited]
        guard outcomes.indices.contains(Int(number)) else { throw InvalidArgument() }
        return outcomes[Int(number)]
    }
}
