import GPSD

extension Report {
    /// gpsd's name for the class.
    var className: String {
        switch self {
        case .tpv: "TPV"
        case .sky: "SKY"
        case .gst: "GST"
        case .att: "ATT"
        case .device: "DEVICE"
        case .devices: "DEVICES"
        case .version: "VERSION"
        case .watch: "WATCH"
        case .toff: "TOFF"
        case .pps: "PPS"
        case .error: "ERROR"
        // A peer's name for an unknown class must not create a new counter each time.
        case .other: "other"
        }
    }
}
