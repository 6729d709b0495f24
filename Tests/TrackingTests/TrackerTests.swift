import Location
import Testing
import Tracking

struct TrackerTests {
    private let start: UInt64 = 1_000_000_000_000
    private let second: UInt64 = 1_000_000_000

    private func fix(_ seconds: UInt64, receiver: String = "/dev/one") throws -> Fix {
        Fix(
            time: time(Double(seconds)), receivedAt: start + seconds * second,
            coordinate: try #require(Coordinate(latitude: 1, longitude: 2)), horizontalAccuracy: 3,
            receiver: receiver)
    }

    @Test func `the first fix is acquired and the next one changes nothing`() throws {
        var tracker = Tracker()
        #expect(tracker.receive(try fix(0)) == [.acquired(afterSeconds: nil)])
        #expect(tracker.receive(try fix(1)) == [])
        #expect(try tracker.currentFix == fix(1))
        #expect(tracker.deadline == start + 6 * second)
    }

    @Test func `a fix without a successor is stale at its deadline and not before`() throws {
        var tracker = Tracker()
        _ = tracker.receive(try fix(0))
        #expect(tracker.timerFired(at: start + 5 * second - 1) == [])
        #expect(tracker.timerFired(at: start + 5 * second) == [.lost(.stale)])
        #expect(tracker.currentFix == nil)
        #expect(try tracker.latestFix == fix(0))
        #expect(tracker.deadline == nil)
        #expect(tracker.timerFired(at: start + 6 * second) == [])
        #expect(tracker.receive(try fix(12)) == [.acquired(afterSeconds: 7)])
    }

    @Test func `a receiver that reports every 10 seconds is not stale in between`() throws {
        var tracker = Tracker()
        _ = tracker.receive(try fix(0))
        _ = tracker.receive(try fix(4))
        _ = tracker.receive(try fix(14))
        #expect(tracker.deadline == start + 44 * second)
    }

    @Test func `a fix is lost with its own receiver and not with another`() throws {
        var tracker = Tracker()
        _ = tracker.receive(try fix(0))
        #expect(tracker.receiverRemoved("/dev/two", at: start) == [])
        #expect(tracker.receiverRemoved("/dev/one", at: start) == [.lost(.receiverRemoved)])
    }

    @Test func `a fix is lost with the connection`() throws {
        var tracker = Tracker()
        #expect(tracker.disconnected(at: start) == [])
        _ = tracker.receive(try fix(0))
        #expect(tracker.disconnected(.unwatched, at: start) == [.lost(.unwatched)])
    }

    @Test func `a sky view without satellites leaves the list unchanged`() {
        var tracker = Tracker()
        let satellite = Satellite(number: 5, constellation: .gps)
        tracker.receive(SkyView(satellites: [satellite], hdop: 2, receiver: "/dev/one"))
        tracker.receive(SkyView(listsSatellites: false, hdop: 1, receiver: "/dev/one"))
        #expect(tracker.skyViews["/dev/one"]?.satellites == [satellite])
        #expect(tracker.skyViews["/dev/one"]?.hdop == 1)
        tracker.receive(SkyView(satellites: [], receiver: "/dev/one"))
        #expect(tracker.skyViews["/dev/one"]?.satellites == [])
    }
}
