import Glibc
import Waymark

// Has a trip recorded by the daemon, and writes the points as lines of GeoJSON. The daemon records while this program does
// not run, and stores each point until it is acknowledged: no point is lost, and after a crash a few may come twice.

/// One point as GeoJSON, RFC 7946.
func line(of point: RecordedPosition) -> String {
    let place = point.position.coordinate
    let time = UTCTime(secondsSinceEpoch: point.position.timestamp)?.iso8601(fraction: 3) ?? ""
    return #"{"type":"Feature","properties":{"sequence":\#(point.sequence),"time":"\#(time)"},"#
        + #""geometry":{"type":"Point","coordinates":[\#(place.longitude),\#(place.latitude)]}}"#
}

let recording = WaymarkClient().recording("trip")
switch CommandLine.arguments.dropFirst().first {
case "start"?:
    let state = try await recording.start(RecordingOptions(distanceFilter: 10))
    print("The trip is \(state.state).")
case "stop"?:
    try await recording.stop()
case "write"?:
    // Every point that is recorded already, then the later ones as they come.
    for try await page in recording.pages() {
        for point in page.points { print(line(of: point)) }
        // Only what is written is acknowledged.
        fflush(nil)
        if let last = page.points.last { try await recording.acknowledge(upTo: last.sequence) }
    }
default:
    fatalError("usage: trip-recorder start|write|stop")
}
