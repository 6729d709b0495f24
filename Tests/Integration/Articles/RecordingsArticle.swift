// The examples of Recordings.md in the catalogue, as they are shown: `DocumentationTests` compares the lines.

import Waymark

/// Sends what was recorded so far, then stops and erases the recording.
func finish(_ client: WaymarkClient, send: ([RecordedPosition]) async throws -> Void) async throws {
    let recording: Recording = client.recording("trip")
    guard let status = try await recording.status() else { return }
    print("\(recording.identifier) is \(status.state); the app has \(try await client.recordings().count) recordings")
    try await recording.stop()
    while true {
        let page = try await recording.read(limit: 500)
        guard let last = page.points.last else { break }
        try await send(page.points)
        try await recording.acknowledge(upTo: last.sequence)
    }
    try await recording.erase()
}

/// Sends points as they are recorded, beginning after a number.
func follow(after number: Int64, _ client: WaymarkClient, send: ([RecordedPosition]) async throws -> Void) async throws
{
    let recording = client.recording("trip")
    try await recording.start(RecordingOptions(distanceFilter: 10))
    let pages: RecordingPages = recording.pages(after: number, limit: 100)
    for try await page in pages { try await send(page.points) }
}
