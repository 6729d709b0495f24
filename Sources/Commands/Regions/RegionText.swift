import CommandLineKit
import Interfaces
import Location

/// Monitors and regions for a person.
struct RegionText {
    let terminal: Terminal
    var preferences = Preferences()

    // Monitors

    /// One line for each monitor; empty without monitors.
    func table(_ monitors: [RegionsInterface.MonitorSummary]) -> [String] {
        if monitors.isEmpty { return [] }
        var table = Table([
            .init("MONITOR"), .init("APP"), .init("USER"), .init("REGIONS", isNumeric: true),
            .init("EVENTS", isNumeric: true), .init("PENDING", isNumeric: true), .init("STATE"),
        ])
        for monitor in monitors {
            table.add([
                Table.Cell(monitor.name), Table.Cell(monitor.app ?? "-"),
                Table.Cell(UserName.text(Int64(monitor.uid))), Table.Cell(Measure.grouped(monitor.regions)),
                Table.Cell(Measure.grouped(monitor.last)), Table.Cell(Measure.grouped(monitor.pending)),
                Table.Cell(
                    Self.sentence(monitor.state), monitor.state == .monitoring ? .green : .yellow),
            ])
        }
        return table.lines(for: terminal)
    }

    /// Whether regions are monitored, or why not, as the end of a sentence about a monitor.
    static func sentence(_ state: RegionsInterface.MonitoringState) -> String {
        switch state {
        case .monitoring: "monitored"
        case .denied: "the app may not have positions"
        case .deniedGlobally: "location services are off"
        case .restricted: "a restriction of this machine forbids it"
        case .notDetermined: "nobody has decided yet whether the app may have positions"
        case .notInUse: "the app may have positions only while it is in use"
        case .accuracyReduced: "the app may have positions of reduced accuracy only"
        case .manifestMissing: "no manifest matches the app"
        case .notOperator: "its user is no operator any more"
        case .locationUnavailable: "there is no position"
        default: state.rawValue
        }
    }

    // Regions

    /// The table of regions, which is written page by page; the titles are on the first.
    func table(_ regions: [RegionsInterface.KnownRegion]) -> [String] {
        var table = Table([
            .init("REGION"), .init("STATE"), .init("SINCE"), .init("SHAPE"), .init("PLACE"),
        ])
        for region in regions {
            let style: Terminal.Style? =
                switch region.state {
                case .inside: .green
                case .unknown: .yellow
                default: nil
                }
            table.add([
                Table.Cell(region.region.identifier), Table.Cell(Self.state(region), style),
                Table.Cell(region.since.flatMap(Self.time) ?? "-"), Table.Cell(shape(region)),
                Table.Cell(place(region)),
            ])
        }
        return table.lines(for: terminal)
    }

    private static func state(_ region: RegionsInterface.KnownRegion) -> String {
        guard region.state == .unknown, let reason = region.reason else { return region.state.rawValue }
        // The daemon withholds states and places together where an operator did not request another's places.
        if reason == .unauthorized, !region.region.hasPlace { return "not shown without --with-places" }
        return "unknown: \(sentence(reason))"
    }

    /// Why it is not known whether the machine is in a region.
    static func sentence(_ doubt: RegionsInterface.Doubt) -> String {
        switch doubt {
        case .undetermined: "no fix has decided yet"
        case .insufficientAccuracy: "the fixes are not accurate enough"
        case .fixLost: "the receiver has no fix"
        case .receiverLost: "there is no receiver"
        case .unauthorized: "not allowed at present"
        default: doubt.rawValue
        }
    }

    private func shape(_ region: RegionsInterface.KnownRegion) -> String {
        var parts = [region.shape]
        if let dwell = region.region.dwell, dwell > 0 { parts.append("dwell \(Measure.age(dwell))") }
        if let loitering = region.region.loitering { parts.append("loitering \(Measure.age(loitering))") }
        return parts.joined(separator: ", ")
    }

    private func place(_ known: RegionsInterface.KnownRegion) -> String {
        let region = known.region
        let units = preferences.units
        if let circle = region.circle {
            let point = RegionsInterface.Point(latitude: circle.latitude, longitude: circle.longitude)
            return "\(units.distance(circle.radius)) around \(text(point, within: circle.radius))"
        }
        if let polygon = region.polygon {
            guard let first = polygon.rings.first?.points.first else { return "-" }
            let count = polygon.rings.reduce(0) { $0 + $1.points.count }
            let holes = polygon.rings.count > 1 ? ", \(Measure.count(polygon.rings.count - 1, "hole"))" : ""
            return "\(Measure.count(count, "point"))\(holes), from \(text(first, within: 10))"
        }
        if let corridor = region.corridor, let first = corridor.points.first {
            return
                "\(units.distance(corridor.halfWidth * 2)) wide, \(Measure.count(corridor.points.count, "point")),"
                + " from \(text(first, within: 10))"
        }
        return "-"
    }

    private func text(_ point: RegionsInterface.Point, within accuracy: Double) -> String {
        guard let place = Coordinate(latitude: point.latitude, longitude: point.longitude) else { return "-" }
        return preferences.coordinates.text(place, within: accuracy / 10, in: terminal.encoding)
    }

    /// Date and time of day on this machine's clock.
    static func time(_ seconds: Double) -> String? {
        ZonedTime(seconds.rounded(), in: .local).map { "\($0.date) \($0.timeOfDay)" }
    }
}

/// Events at the borders of regions for a person.
struct RegionEventText {
    let terminal: Terminal
    /// Whether the lines name the monitor.
    let namesMonitor: Bool

    /// `2026-06-01 08:00:00  yard  entered`, with the monitor and remarks.
    func line(_ event: RegionsInterface.Event, of monitor: String) -> String {
        let region = event.region.map { namesMonitor && $0 != monitor ? "\(monitor)/\($0)" : $0 } ?? monitor
        let kind = Self.sentence(event)
        let style: Terminal.Style? =
            switch event.kind {
            case .entered, .loitered: .green
            case .unknown, .overflowed: .yellow
            default: nil
            }
        var remarks: [String] = []
        if event.passedThrough { remarks.append("passed through") }
        if event.isSimulated { remarks.append("simulated") }
        let remark = remarks.isEmpty ? "" : " (\(remarks.joined(separator: ", ")))"
        // The names were chosen by a program, perhaps with control characters of a terminal.
        let text = (RegionText.time(event.crossed ?? event.time) ?? "?") + "  " + region.escapingControls + "  "
        return text + terminal.styled(kind, style) + remark
    }

    /// What happened, in words.
    static func sentence(_ event: RegionsInterface.Event) -> String {
        switch event.kind {
        case .determined: event.state == .inside ? "is inside" : "is outside"
        case .unknown: "not known: \(event.reason.map(RegionText.sentence) ?? "no reason")"
        case .overflowed:
            "\(Measure.count(event.lost ?? 0, "event")) dropped, because too many were not acknowledged"
        default: event.kind.rawValue
        }
    }
}

/// The next step after a command about regions.
enum RegionAdvice {
    static func afterAdding(_ target: RegionTarget?) -> String {
        guard let target else { return "" }
        let name = target.region.map { "\($0) --monitor \(target.monitor)" } ?? target.monitor
        return "See it with `waymark regions show \(name)`, and act on it with `waymark regions on \(name) -- COMMAND`."
    }
}

extension RegionsInterface.Region {
    /// Whether it is known where the region is.
    fileprivate var hasPlace: Bool { circle != nil || polygon != nil || corridor != nil }
}
