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
    /// A class that is read by nobody here, and the device that it comes from; empty where it names none.
    case other(String, receiver: String = "")

    /// The device that a report comes from, as gpsd names it; nil for what gpsd says of itself, and for pulses, which also
    /// come from a device that sends nothing else.
    var source: String? {
        switch self {
        case .tpv(let tpv): tpv.receiver
        case .sky(let sky): sky.receiver
        case .gst(let gst): gst.receiver
        case .att(let att): att.receiver
        case .toff(let offset): offset.receiver
        case .other(_, let receiver): receiver.isEmpty ? nil : receiver
        case .device, .devices, .version, .watch, .pps, .error: nil
        }
    }
}
