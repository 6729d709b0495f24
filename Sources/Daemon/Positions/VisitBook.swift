import Authorization
import JSONText
import Location
import Tracking

/// Whom a visit was observed for: an app of a user, or an operator.
struct VisitKey: Hashable {
    /// The app; nil for an operator's program that is no app.
    var app: AppID?
    var uid: UInt32

    init(app: AppID?, uid: UInt32) {
        self.app = app
        self.uid = uid
    }

    /// The name under which the journal stores the visits.
    var savedName: String { "\(Self.prefix)\(uid) \(app?.name ?? "")" }

    private static let prefix = "visits "

    /// Parses a name made by `savedName`; nil for the name of another value.
    init?(savedName: String) {
        let parts = savedName.split(separator: " ", omittingEmptySubsequences: false)
        guard savedName.hasPrefix(Self.prefix), parts.count == 3, let uid = UInt32(parts[1]) else { return nil }
        self.init(app: parts[2].isEmpty ? nil : AppID(uid: uid, name: String(parts[2])), uid: uid)
    }
}

/// The visits observed for one app or operator: the present one, and the last ones that have ended.
///
/// Each app has a book of its own, from fixes that the app may have: nothing in it was observed while the app was not allowed
/// to know it.
struct VisitBook: Equatable {
    /// How many ended visits are stored.
    static let mostEnded = 100
    /// Seconds of the receiver's time after which a stay that lasts is stored again.
    static let savePause = 600.0

    private var detector = VisitDetector()
    /// The visits that have ended, in their order.
    private(set) var ended: [Visit] = []
    private var savedAt: UTCTime?
    /// The arrival, in nanoseconds of CLOCK_MONOTONIC, of the latest fix.
    private(set) var usedAt: UInt64 = 0

    /// The visit that lasts.
    var current: Visit? { detector.current }

    /// An empty book.
    init() {}

    /// Handles a fix. Returns what it has shown, and whether the book is to be stored.
    mutating func receive(_ fix: Fix) -> (events: [VisitDetector.Event], isSaveDue: Bool) {
        usedAt = fix.receivedAt
        let events = detector.receive(fix)
        for case .departed(let visit) in events {
            ended.append(visit)
            if ended.count > Self.mostEnded { ended.removeFirst() }
        }
        let isLong = current != nil && savedAt.map { abs(fix.time.seconds(since: $0)) >= Self.savePause } ?? true
        guard !events.isEmpty || isLong else { return ([], false) }
        savedAt = fix.time
        return (events, true)
    }

    /// This book, begun while an earlier one could not be read, with the visits of the earlier one. A stay that lasted there goes
    /// on if this book knows no other place yet or is at the same place, else it ended when it was seen last.
    func continuing(_ earlier: VisitBook) -> VisitBook {
        var all = self
        var past = earlier.ended
        if let stay = earlier.detector.stay {
            if let continued = detector.continuing(stay) {
                all.detector = continued
            } else {
                var visit = stay.visit
                visit.departure = stay.lastInside
                past.append(visit)
            }
        }
        all.ended = (past + ended).suffix(Self.mostEnded)
        return all
    }

    /// The visits that ended at this time of the receiver or later.
    func ended(since time: Double) -> [Visit] {
        ended.filter { ($0.departure?.secondsSinceEpoch ?? 0) >= time }
    }

    /// Whether there is no visit, so that there is nothing to store.
    var isEmpty: Bool { current == nil && ended.isEmpty }

    /// The book as text; nil where there is nothing to store.
    var saved: String? {
        guard !isEmpty else { return nil }
        var writer = JSONWriter()
        writer.object { writer in
            if current != nil, let stay = detector.stay {
                writer.object("stay") { writer in
                    stay.visit.writeMembers(to: &writer)
                    writer.member("first", stay.first.secondsSinceEpoch)
                    writer.member("last", stay.lastInside.secondsSinceEpoch)
                }
            }
            writer.array("ended") { writer in
                for visit in ended { writer.object { writer in visit.writeMembers(to: &writer) } }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The book of a text made by `saved`; nil for any other text.
    init?(saved text: String) {
        do throws(JSONError) {
            let json = try JSON.parse(Array(text.utf8))
            ended = (json["ended"]?.arrayValue ?? []).compactMap(Visit.init(saved:)).suffix(Self.mostEnded)
            guard let stay = json["stay"] else { return }
            guard let visit = Visit(saved: stay), let first = Visit.time(stay["first"]),
                let last = Visit.time(stay["last"])
            else { return nil }
            detector = VisitDetector(
                resuming: Stay(
                    centre: visit.coordinate, accuracy: visit.horizontalAccuracy, arrival: visit.arrival,
                    first: first, lastInside: last, isSimulated: visit.isSimulated))
        } catch {
            return nil
        }
    }
}

extension Visit {
    /// Writes the members of a visit as the journal stores it. Replies to clients are written by `VisitDisclosure` only.
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("latitude", coordinate.latitude)
        writer.member("longitude", coordinate.longitude)
        writer.member("accuracy", horizontalAccuracy)
        writer.member("arrival", arrival?.secondsSinceEpoch)
        writer.member("departure", departure?.secondsSinceEpoch)
        writer.member("isSimulated", isSimulated)
    }

    fileprivate init?(saved json: JSON) {
        guard let latitude = json["latitude"]?.numberValue, let longitude = json["longitude"]?.numberValue,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude),
            let accuracy = json["accuracy"]?.numberValue, accuracy.isFinite, accuracy > 0
        else { return nil }
        self.init(
            coordinate: coordinate, horizontalAccuracy: accuracy, arrival: Self.time(json["arrival"]),
            departure: Self.time(json["departure"]), isSimulated: json["isSimulated"]?.boolValue ?? false)
    }

    fileprivate static func time(_ json: JSON?) -> UTCTime? {
        json?.numberValue.flatMap(UTCTime.init(secondsSinceEpoch:))
    }
}
