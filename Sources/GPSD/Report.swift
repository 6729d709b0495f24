import Location

/// One line of gpsd's protocol, read: the classes of gpsd_json(5) that a location service needs.
public enum Report: Equatable, Sendable {
    /// Time, position, velocity.
    case tpv(TPV)
    /// The satellites in view and the dilutions of precision.
    case sky(SkyView)
    /// Noise statistics of the pseudoranges.
    case gst(GST)
    /// The attitude of the vehicle.
    case att(ATT)
    /// A device came, changed or went.
    case device(Device)
    /// All the devices that gpsd has.
    case devices([Device])
    /// The banner: gpsd's release and the version of its protocol.
    case version(ProtocolVersion)
    /// The answer to a WATCH request.
    case watch(isEnabled: Bool)
    /// The time of a report against the system's clock.
    case toff(ClockOffset)
    /// A pulse-per-second against the system's clock.
    case pps(ClockOffset)
    /// A request that gpsd did not like, in gpsd's words.
    case error(String)
    /// A class that is read by nobody here.
    case other(String)
}
