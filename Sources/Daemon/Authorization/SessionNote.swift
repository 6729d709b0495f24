import Authorization
import Location
import Platform

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
        var packed = PackedBytes([Self.version, UInt8(index), UInt8(given.rawValue), UInt8(givenRecorded.rawValue)])
        if let app {
            packed.append(app.uid)
            packed.append(bare: app.name.utf8)
        }
        return Array(packed.bytes)
    }

    /// Decodes `encoded`; nil for anything else.
    init?(decoding bytes: [UInt8]) {
        var packed = PackedBytes(bytes)
        guard packed.next(UInt8.self) == Self.version,
            let index = packed.next(UInt8.self), Int(index) < Self.activities.count,
            let given = packed.next(UInt8.self).flatMap({ PositionFeed(rawValue: Int($0)) }),
            let givenRecorded = packed.next(UInt8.self).flatMap({ PositionFeed(rawValue: Int($0)) })
        else { return nil }
        activity = Self.activities[Int(index)]
        self.given = given
        self.givenRecorded = givenRecorded
        guard !packed.bytes.isEmpty else { return }
        guard let uid = packed.next(UInt32.self), !packed.bytes.isEmpty,
            let name = String(validating: packed.bytes, as: UTF8.self)
        else { return nil }
        app = AppID(uid: uid, name: name)
    }
}
