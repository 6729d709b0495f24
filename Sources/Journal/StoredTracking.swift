import Authorization
import JSONText
import Location

/// The decisions about tracking as values of the journal: one text for each app.
public enum StoredTracking {
    private static let prefix = "tracking"

    /// The name of the value of an app. No name of an app contains a space.
    static func name(of app: AppID) -> String { "\(prefix) \(app.uid) \(app.name)" }

    /// Whether a value is a decision about tracking, whether or not this release understands it.
    static func isName(_ name: String) -> Bool { name.hasPrefix(prefix + " ") }

    /// The app of a value; nil for another value.
    static func app(ofName name: String) -> AppID? {
        let parts = name.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == prefix, let uid = UInt32(parts[1]), String(uid) == parts[1],
            !parts[2].isEmpty
        else { return nil }
        return AppID(uid: uid, name: String(parts[2]))
    }

    /// The value for a grant; nil, which removes it, for the absence of a decision.
    static func text(of grant: TrackingGrant) -> String? {
        guard grant != TrackingGrant() else { return nil }
        let (decider, uid) = grant.decidedBy.map(StoredDecider.parts) ?? (nil, nil)
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("permission", grant.permission.rawValue)
            writer.member("decidedAt", grant.decidedAt?.microseconds)
            writer.member("decidedBy", decider?.rawValue)
            writer.member("decidedByUID", uid)
            writer.member("binding", grant.binding)
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The grant of a text made by `text(of:)`; nil for any other text.
    static func grant(ofText text: String) -> TrackingGrant? {
        let json: JSON
        do throws(JSONError) { json = try JSON.parse(Array(text.utf8)) } catch { return nil }
        guard let permission = json["permission"]?.stringValue.flatMap(TrackingGrant.Permission.init),
            let decidedAt = json["decidedAt"]?.integerValue,
            let decider = json["decidedBy"]?.stringValue.flatMap(StoredDecider.init)?.decider(
                json["decidedByUID"]?.integerValue.flatMap { UInt32(exactly: $0) })
        else { return nil }
        return TrackingGrant(
            permission: permission, decidedAt: UTCTime(microseconds: decidedAt), decidedBy: decider,
            binding: json["binding"]?.stringValue)
    }

    /// The decisions among the values of a journal, and the names of those that cannot be read.
    public static func read(_ values: [String: String]) -> (grants: [AppID: TrackingGrant], damaged: [String]) {
        var found: (grants: [AppID: TrackingGrant], damaged: [String]) = ([:], [])
        for (name, text) in values where isName(name) {
            if let app = app(ofName: name), let grant = grant(ofText: text) {
                found.grants[app] = grant
            } else {
                found.damaged.append(name)
            }
        }
        return found
    }

    /// Whether a value permits tracking, or may: it is not recovered from a database that may be out of date.
    static func mayPermit(_ name: String, _ text: String) -> Bool {
        isName(name) && grant(ofText: text)?.permission != .denied
    }
}
