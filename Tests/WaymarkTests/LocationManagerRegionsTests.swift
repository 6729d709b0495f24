import Interfaces
import Location
import Testing

@testable import Waymark

/// What a `LocationManager` reports of regions, without a daemon.
struct LocationManagerRegionsTests {
    private let yard: CircularRegion
    private let time = UTCTime(microseconds: 0)

    init() throws {
        yard = CircularRegion(
            center: try #require(Coordinate(latitude: 47, longitude: -30)), radius: 100, identifier: "yard")
    }

    private func event(
        _ kind: RegionsInterface.Kind, _ region: String? = "yard", state: RegionsInterface.State? = nil
    ) -> LocationManagerRegions.Report {
        .event(
            LocationMonitor.Event(
                RegionsInterface.Event(
                    sequence: 1, region: region, kind: kind, state: state, time: 0, passedThrough: false,
                    isSimulated: false)))
    }

    @Test func `a crossing is reported with the state after it, a first decision without a crossing`() {
        var regions = LocationManagerRegions()
        #expect(regions.start(yard) == .add(yard))
        #expect(regions.receive(.added(yard)) == [.started(yard)])
        #expect(regions.receive(event(.determined, state: .outside)) == [.determined(.outside, yard)])
        #expect(regions.receive(event(.entered)) == [.entered(yard), .determined(.inside, yard)])
        #expect(regions.receive(event(.left)) == [.exited(yard), .determined(.outside, yard)])
        #expect(regions.receive(event(.unknown)) == [.determined(.unknown, yard)])
        #expect(regions.receive(event(.loitered)).isEmpty)
    }

    @Test func `only the crossings that the region asks for are reported`() {
        var regions = LocationManagerRegions()
        var quiet = yard
        quiet.notifyOnEntry = false
        _ = regions.start(quiet)
        #expect(regions.receive(event(.entered)) == [.determined(.inside, quiet)])
        #expect(regions.receive(event(.left)) == [.exited(quiet), .determined(.outside, quiet)])
    }

    @Test func `a region that was stopped reports nothing more`() {
        var regions = LocationManagerRegions()
        _ = regions.start(yard)
        #expect(regions.stop(yard) == .remove("yard"))
        #expect(regions.receive(event(.entered)).isEmpty && regions.monitored.isEmpty)
        #expect(regions.receive(.loaded([yard])).isEmpty)
        #expect(regions.monitored.isEmpty, "what was stored before does not undo a change")
    }

    @Test func `regions of an earlier start of the app are monitored`() {
        var regions = LocationManagerRegions()
        _ = regions.receive(.loaded([yard]))
        #expect(regions.monitored == ["yard": yard])
        #expect(regions.receive(event(.entered)).first == .entered(yard))
    }

    @Test func `a region that cannot be monitored is reported, and is not monitored`() {
        var regions = LocationManagerRegions()
        _ = regions.start(yard)
        let full = WaymarkError.failed(
            name: ErrorName.regionsTooManyRegions.rawValue, message: "Too many.", parameters: .null)
        let error = LocationError(.regionMonitoringFailure, cause: full)
        #expect(regions.receive(.failed(yard, full)) == [.failed(yard, error)])
        #expect(regions.monitored.isEmpty)
        let refusal = WaymarkError.refused(.accuracyReduced, message: "Reduced.")
        #expect(regions.receive(.failed(nil, refusal)) == [.failed(nil, LocationError(.denied, cause: refusal))])
    }

    @Test func `events that were dropped are reported`() {
        var regions = LocationManagerRegions()
        #expect(
            regions.receive(event(.overflowed, nil)) == [.failed(nil, LocationError(.regionMonitoringFailure))])
    }

    @Test func `a circle contains what is within its radius`() throws {
        #expect(yard.contains(yard.center))
        #expect(yard.contains(try #require(Coordinate(latitude: 47.0008, longitude: -30))))
        #expect(!yard.contains(try #require(Coordinate(latitude: 47.001, longitude: -30))))
    }
}
