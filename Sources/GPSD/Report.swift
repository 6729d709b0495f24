import Location

/// A decoded line of gpsd's protocol: the classes of gpsd_json(5) that a location service needs.
public enum Report: Equatable, Sendable {
    /// Time, position, velocity.
    case tpv(TPV)
    /// The satellites in view and the dilutions of precision.
    case sky(SkyView)
    /// Noise statistics of the pseudoranges.
    case gst(GST)
    /// The attitude of the vehicle.
    case att(ATT)
    /// A device was added, changed or removed.
    case device(Device)
    /// All devices of gpsd.
    case devices([Device])
    /// The banner: gpsd's release and the version of its protocol.
    case version(ProtocolVersion)
    /// The reply to a WATCH request.
    case watch(isEnabled: Bool)
    /// The time of a report compared with the system clock.
    case toff(ClockOffset)
    /// A pulse-per-second compared with the system clock.
    case pps(ClockOffset)
    /// An error reply of gpsd, with its text.
    case error(String)
    /// A class that is not decoded, with its device; empty without one.
    case other(String, receiver: String = "")

    /// The device of a report, by gpsd's name; nil for gpsd's reports about itself, and for pulses, which also come
    /// from a device that sends nothing else.
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
