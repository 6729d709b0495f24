import Durations
import JSONText
import Location

/// An identifier, and the apps that have queried it.
public struct IdentifierRecord: Equatable, Sendable {
    /// When an app has queried it.
    public struct Use: Equatable, Sendable {
        /// The first time.
        public var first: UTCTime
        /// The last time, accurate to `resolution`.
        public var last: UTCTime
    }

    /// How far `Use.last` may be behind: an app that queries often does not cause a write each time.
    public static let resolution = Duration.seconds(3_600)
    /// The most apps that are remembered, for a template with any number of instances. The one with the oldest query makes
    /// room for another.
    public static let mostApps = 256

    /// The identifier.
    public let identifier: UniqueID
    /// By the name of the app.
    public private(set) var uses: [String: Use] = [:]

    /// An identifier that no app has queried.
    public init(_ identifier: UniqueID) { self.identifier = identifier }

    /// Notes a query of an app. Returns whether that is the first time.
    mutating func note(_ app: String, at now: UTCTime) -> Bool {
        guard let use = uses[app] else {
            if uses.count >= Self.mostApps,
                let oldest = uses.min(by: { ($0.value.last, $0.key) < ($1.value.last, $1.key) })
            {
                uses[oldest.key] = nil
            }
            uses[app] = Use(first: now, last: now)
            return true
        }
        // A clock that was set back does not move the end before the beginning.
        if use.last.microseconds <= now.microseconds.before(Self.resolution) {
            uses[app]?.last = now
        }
        return false
    }

    // Storage

    /// The record as text. It contains the identifier: for the journal's database only.
    public var text: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("identifier", identifier.description)
            writer.array("uses") { writer in
                for (app, use) in uses.sorted(by: { $0.key < $1.key }) {
                    writer.object { writer in
                        writer.member("app", app)
                        writer.member("first", use.first.microseconds)
                        writer.member("last", use.last.microseconds)
                    }
                }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The record of a text made by `text`; nil for any other text.
    public init?(text: String) {
        let json: JSON
        do throws(JSONError) { json = try JSON.parse(Array(text.utf8)) } catch { return nil }
        guard let identifier = json["identifier"]?.stringValue.flatMap(UniqueID.init), identifier.isRandom,
            let uses = json["uses"]?.arrayValue, uses.count <= Self.mostApps
        else { return nil }
        self.init(identifier)
        for use in uses {
            guard let app = use["app"]?.stringValue, !app.isEmpty, self.uses[app] == nil,
                let first = use["first"]?.integerValue, let last = use["last"]?.integerValue, first <= last
            else { return nil }
            self.uses[app] = Use(first: UTCTime(microseconds: first), last: UTCTime(microseconds: last))
        }
    }
}
