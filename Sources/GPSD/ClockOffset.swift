import Location

/// One instant by the receiver's and by the system's clock: classes `TOFF` and `PPS` of gpsd_json(5).
public struct ClockOffset: Equatable, Sendable {
    /// By the receiver.
    public var real: UTCTime
    /// By the system's clock when it arrived.
    public var clock: UTCTime
    /// The receiver, as gpsd names its device.
    public var receiver: String

    /// An offset of these parts.
    public init(real: UTCTime, clock: UTCTime, receiver: String = "") {
        self.real = real
        self.clock = clock
        self.receiver = receiver
    }
}
