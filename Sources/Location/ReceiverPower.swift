/// Whether the receiver sleeps while no position can be needed. The names are the values of the setting.
public enum ReceiverPower: String, CaseIterable, Sendable {
    /// Where nothing but regions and significant changes needs positions, gpsd is connected only around the instants at
    /// which one can be needed.
    case adaptive
    /// gpsd is connected as long as anything needs positions.
    case continuous
}
