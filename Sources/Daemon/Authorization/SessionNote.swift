import Authorization
import Location

/// The daemon's data about a client, stored with its connection over a restart. It grants nothing: the client is
/// identified and authorized again.
struct SessionNote: Equatable {
    /// Its app; nil for none.
    var app: AppID?
    /// Its last declared activity.
    var activity = Activity.background
    /// The greatest accuracy of the positions that it has received.
    var given = PositionFeed.none
    /// The greatest accuracy of the recorded positions that it may have received.
    var givenRecorded = PositionFeed.none

    private static let version: UInt8 = 2
    private static let activities: [Activity] = [.active, .inactive, .background, .suspended]

    init() {}

    /// The encoded note.
    var encoded: [UInt8] {
        let index = Self.activities.firstIndex(of: activity) ?? 2
        var bytes = [Self.version, UInt8(index), UInt8(given.rawValue), UInt8(givenRecorded.rawValue)]
        guard let app else { return bytes }
        withUnsafeBytes(of: app.uid.littleEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: app.name.utf8)
        return bytes
    }

    /// Decodes `encoded`; nil for anything else.
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
