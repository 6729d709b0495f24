import CommandLineKit
import Interfaces
import Testing

@testable import Commands

@Suite struct RegionTextTests {
    private let paper = Terminal(isTerminal: false)

    private func known(
        _ region: RegionsInterface.Region, _ shape: String, _ state: RegionsInterface.State = .outside
    ) -> RegionsInterface.KnownRegion {
        RegionsInterface.KnownRegion(region: region, shape: shape, state: state)
    }

    @Test func `monitors are shown in a table, with their obstacles`() {
        let monitors = [
            RegionsInterface.MonitorSummary(
                name: "yard", uid: 4_294_967_290, regions: 1, last: 1_204, acknowledged: 1_200, pending: 4,
                state: .monitoring),
            RegionsInterface.MonitorSummary(
                name: "home", uid: 4_294_967_290, app: "trailmap", regions: 2, state: .accuracyReduced),
        ]
        #expect(
            RegionText(terminal: paper).table(monitors) == [
                "MONITOR  APP       USER        REGIONS  EVENTS  PENDING  STATE",
                "yard     -         4294967290        1   1,204        4  monitored",
                "home     trailmap  4294967290        2       0        0  the app may have positions of reduced"
                    + " accuracy only",
            ])
        #expect(RegionText(terminal: paper).table([RegionsInterface.MonitorSummary]()).isEmpty)
    }

    @Test func `regions are shown with their states and places, in the notation and units of the user`() {
        let circle = RegionsInterface.Region(
            identifier: "yard", circle: .init(latitude: 47.58, longitude: 21.12, radius: 80), dwell: 300)
        let points = [(47.0, 21.0), (47.1, 21.0), (47.1, 21.1)]
            .map { RegionsInterface.Point(latitude: $0.0, longitude: $0.1) }
        let polygon = RegionsInterface.Region(
            identifier: "field", polygon: .init(rings: [.init(points: points), .init(points: points)]))
        let corridor = RegionsInterface.Region(
            identifier: "route", corridor: .init(points: points, halfWidth: 200))
        var unknown = known(RegionsInterface.Region(identifier: "other"), "circle", .unknown)
        unknown.reason = .fixLost
        let regions = [
            known(circle, "circle", .inside), known(polygon, "polygon"), known(corridor, "corridor"), unknown,
        ]
        var text = RegionText(terminal: paper)
        #expect(
            text.table(regions) == [
                "REGION  STATE                             SINCE  SHAPE                PLACE",
                "yard    inside                            -      circle, dwell 5 min  80 m around 47.580000, 21.120000",
                "field   outside                           -      polygon              6 points, 1 hole, from 47.000000, 21.000000",
                "route   outside                           -      corridor             400 m wide, 3 points, from"
                    + " 47.000000, 21.000000",
                "other   unknown: the receiver has no fix  -      circle               -",
            ])
        text.preferences.units = .imperial
        text.preferences.coordinates = .mgrs
        #expect(text.table(regions)[1].hasSuffix("262 ft around 34T ET 09023 69627"), "\(text.table(regions)[1])")
        let narrow = RegionText(terminal: Terminal(isTerminal: true, size: (30, 20)) { _ in nil })
        #expect(narrow.table(regions).allSatisfy { $0.displayWidth <= 30 })
    }

    @Test func `of another's region it is said which option is missing, and else that it is not allowed`() {
        var listed = known(RegionsInterface.Region(identifier: "yard"), "circle", .unknown)
        listed.reason = .unauthorized
        var denied = listed
        denied.region.circle = .init(latitude: 47.58, longitude: 21.12, radius: 80)
        let table = RegionText(terminal: paper).table([listed, denied])
        #expect(table[1].hasPrefix("yard    not shown without --with-places  "), "\(table)")
        #expect(table[2].hasPrefix("yard    unknown: not allowed at present  "), "\(table)")
    }

    @Test(
        arguments: [
            (.entered, nil, nil, "yard  entered (passed through, simulated)"),
            (.determined, .inside, nil, "yard  is inside (passed through, simulated)"),
            (.unknown, nil, .receiverLost, "yard  not known: there is no receiver (passed through, simulated)"),
            (RegionsInterface.Kind(rawValue: "teleported"), nil, nil, "yard  teleported (passed through, simulated)"),
        ] as [(RegionsInterface.Kind, RegionsInterface.State?, RegionsInterface.Doubt?, String)])
    func `an event is a line`(
        kind: RegionsInterface.Kind, state: RegionsInterface.State?, doubt: RegionsInterface.Doubt?, end: String
    ) {
        let event = RegionsInterface.Event(
            sequence: 1, region: "yard", kind: kind, state: state, reason: doubt, time: 1_780_300_800,
            passedThrough: true, isSimulated: true)
        let text = RegionEventText(terminal: paper, namesMonitor: true)
        #expect(text.line(event, of: "yard").hasSuffix("  \(end)"))
        #expect(text.line(event, of: "depots").contains("  depots/yard  "))
        #expect(!RegionEventText(terminal: paper, namesMonitor: false).line(event, of: "depots").contains("depots"))
    }

    @Test func `dropped events are counted`() {
        let event = RegionsInterface.Event(
            sequence: 9, kind: .overflowed, time: 0, passedThrough: false, isSimulated: false, lost: 1_200)
        let line = RegionEventText(terminal: paper, namesMonitor: true).line(event, of: "yard")
        #expect(line.hasSuffix("yard  1,200 events dropped, because too many were not acknowledged"))
    }
}
