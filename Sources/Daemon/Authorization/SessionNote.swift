import Authorization
import Location

/// What the daemon needs to know of a client after a restart, as it is kept with the connection. It grants nothing: who the
/// client is and what it may have is found out anew.
struct SessionNote: Equatable {
    /// The app that it was; nil for none.
    var app: AppID?
    /// What it declared last.
    var activity = Activity.background
    /// The most exact that it was ever given.
    var given = PositionFeed.none
    /// The most exact that it may have been given of what was recorded.
    var givenRecorded = PositionFeed.none

    private static let version: UInt8 = 2
    private static let activities: [Activity] = [.active, .inactive, .background, .suspended]

    init() {}

    /// The bytes by which it is kept.
    var encoded: [UInt8] {
        let index = Self.activities.firstIndex(of: activity) ?? 2
        var bytes = [Self.version, UInt8(index), UInt8(given.rawValue), UInt8(givenRecorded.rawValue)]
        guard let app else { return bytes }
        withUnsafeBytes(of: app.uid.littleEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: app.name.utf8)
        return bytes
    }

    /// Reads what `encoded` made; nil where it is anything else.
    init?(decoding bytes: [UInt8]) {
        guard bytes.count >= 4, bytes[0] == Self.version, Int(bytes[1]) < Self.activities.count,
            let given = PositionFeed(rawValue: Int(bytes[2])),
            let givenRecorded = PositionFeed(rawValue: Int(bytes[3]))
        else { return nil }
        activity = Self.activities[Int(bytes[1])]
        self.given = given
        self.givenRecorded = givenRecorded
        guard bytes.count > 4 else { return }
        guard bytes.count > 8, let name = String(validating: bytes[8...], as: UTF8.self) else { return nil }
        app = AppID(uid: bytes[4..<8].reversed().reduce(0) { $0 << 8 | UInt32($1) }, name: name)
    }
}
