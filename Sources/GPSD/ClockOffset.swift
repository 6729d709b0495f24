import Location

/// The same instant by the receiver's clock and by the system clock: classes `TOFF` and `PPS` of gpsd_json(5).
public struct ClockOffset: Equatable, Sendable {
    /// The time of the receiver.
    public var real: UTCTime
    /// The time of the system clock at the arrival.
    public var clock: UTCTime
    /// The receiver, by gpsd's name of its device.
    public var receiver: String

    /// An offset of these parts.
    public init(real: UTCTime, clock: UTCTime, receiver: String = "") {
        self.real = real
        self.clock = clock
        self.receiver = receiver
    }
}
