/// How a receiver obtained a fix, after NMEA 0183 GGA field 6 as gpsd reports it in `status`.
public enum FixQuality: String, CaseIterable, Sendable {
    /// Satellites alone.
    case ordinary
    /// Corrected by a differential service or SBAS.
    case dgps
    /// Real-time kinematic with fixed integers.
    case rtkFixed
    /// Real-time kinematic with floating integers.
    case rtkFloat
    /// Dead reckoning, alone or together with satellites.
    case deadReckoning
    /// A surveyed or manually entered position of a timing receiver.
    case surveyed
}
