import Interfaces
import Location
import Upload

/// An event that the link to the daemon's regions reports to an uploader.
enum RegionLinkEvent {
    /// Events follow that are not acknowledged. Those of a new monitor are numbered from 1.
    case opened(isNew: Bool, [String: KnownSide])
    /// Something happened at a border.
    case happened(BorderEvent)
    /// Events are acknowledged up to this number.
    case acknowledged(upTo: Int64)
    /// No events come at present, with the reason for people. `isWithdrawn` means that those that came may not be sent either.
    case lost(isWithdrawn: Bool, message: String)
}

extension BorderEvent {
    /// The event in the words of `io.waymark.Regions`.
    init(_ event: RegionsInterface.Event) {
        let kind: Kind =
            switch event.kind {
            case .determined where event.state == .inside: .determined(isInside: true)
            case .determined where event.state == .outside: .determined(isInside: false)
            case .entered: .entered
            case .left: .left
            default: .other
            }
        var place: Place?
        if let latitude = event.latitude, let longitude = event.longitude, let accuracy = event.horizontalAccuracy,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        {
            place = Place(coordinate, horizontalAccuracy: accuracy)
        }
        self.init(
            sequence: event.sequence, region: event.region, kind: kind,
            time: UTCTime(secondsSinceEpoch: event.time) ?? UTCTime(microseconds: 0), place: place)
    }
}

extension KnownSide {
    /// The state of a region; nil where it is not known.
    init?(_ region: RegionsInterface.KnownRegion) {
        guard region.state == .inside || region.state == .outside,
            let since = region.since.flatMap({ UTCTime(secondsSinceEpoch: $0) })
        else { return nil }
        self.init(isInside: region.state == .inside, since: since)
    }
}
