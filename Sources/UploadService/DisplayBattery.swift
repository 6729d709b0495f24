import Platform
import Upload

/// What UPower reports of the machine's batteries together, its display device:
/// https://upower.freedesktop.org/docs/Device.html.
///
///     State                               reported
///     1 charging                          charging
///     2 discharging, 3 empty,
///     6 about to discharge                unplugged
///     4 fully charged                     full
///     0 unknown, 5 about to charge        unknown
struct DisplayBattery: Equatable {
    private var kind: UInt32?
    private var isPresent = false
    private var percentage: Double?
    private var state: UInt32 = 0

    /// Applies properties, all or the changed ones. Values of other types are ignored.
    mutating func set(_ properties: [String: BusValue]) {
        if let value = properties["Type"]?.uint32 { kind = value }
        if case .bool(let value)? = properties["IsPresent"] { isPresent = value }
        if case .double(let value)? = properties["Percentage"] { percentage = value }
        if let value = properties["State"]?.uint32 { state = value }
    }

    /// The battery; nil without one. A machine without a battery has a display device of another type, or one that is not
    /// present.
    var battery: Battery? {
        // A battery or an uninterruptible power supply.
        guard isPresent, kind == 2 || kind == 3, let percentage, (0...100).contains(percentage) else { return nil }
        let meaning: Battery.State =
            switch state {
            case 1: .charging
            case 2, 3, 6: .unplugged
            case 4: .full
            default: .unknown
            }
        return Battery(level: Int(percentage.rounded()), state: meaning)
    }
}
