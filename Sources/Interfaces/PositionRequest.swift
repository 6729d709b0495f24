import JSONText
import Varlink

/// What a caller of `io.waymark.Location.GetPosition` asks for.
public struct PositionRequest: Equatable, Sendable {
    /// Metres; none means any accuracy.
    public var desiredAccuracy: Double?
    /// Seconds.
    public var maximumAge: Double
    /// Seconds.
    public var timeout: Double

    /// The longest time-out, seconds.
    public static let longestTimeout = 600.0

    /// A request with the interface's defaults.
    public init(desiredAccuracy: Double? = nil, maximumAge: Double = 10, timeout: Double = 30) {
        self.desiredAccuracy = desiredAccuracy
        self.maximumAge = maximumAge
        self.timeout = timeout
    }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        desiredAccuracy = try json.number("desiredAccuracy", in: 0...40_000_000)
        maximumAge = try json.number("maximumAge", in: 0...86_400) ?? 10
        timeout = try json.number("timeout", in: 0...Self.longestTimeout) ?? 30
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("desiredAccuracy", desiredAccuracy)
            writer.member("maximumAge", maximumAge)
            writer.member("timeout", timeout)
        }
    }
}

/// What a caller of `io.waymark.Location.Monitor` asks for.
public struct MonitorRequest: Equatable, Sendable {
    /// Metres; none means any accuracy.
    public var desiredAccuracy: Double?
    /// Metres between two positions.
    public var distanceFilter: Double
    /// Seconds between two positions.
    public var interval: Double
    /// Whether each position comes with the receiver's first report of it, up to 150 ms earlier and perhaps less full.
    public var firstReport: Bool

    /// A request for every position, or for fewer.
    public init(
        desiredAccuracy: Double? = nil, distanceFilter: Double = 0, interval: Double = 0, firstReport: Bool = false
    ) {
        self.firstReport = firstReport
        self.desiredAccuracy = desiredAccuracy
        self.distanceFilter = distanceFilter
        self.interval = interval
    }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        desiredAccuracy = try json.number("desiredAccuracy", in: 0...40_000_000)
        distanceFilter = try json.number("distanceFilter", in: 0...40_000_000) ?? 0
        interval = try json.number("interval", in: 0...86_400) ?? 0
        firstReport = try json.bool("firstReport") ?? false
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("desiredAccuracy", desiredAccuracy)
            if distanceFilter > 0 { writer.member("distanceFilter", distanceFilter) }
            if interval > 0 { writer.member("interval", interval) }
            if firstReport { writer.member("firstReport", firstReport) }
        }
    }
}
