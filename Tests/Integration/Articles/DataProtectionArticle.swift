// The examples of DataProtection.md in the catalogue, as they are shown: `DocumentationTests` compares the lines.

import Waymark

/// Shows the recorded track of a person only while the machine is unlocked.
func showTrack(_ client: WaymarkClient, show: (String) async -> Void) async throws {
    let states: ProtectedDataUpdates = client.protectedDataUpdates()
    for try await state in states {
        switch state {
        case .available: await show("the track")
        case .becomingUnavailable(let instant):
            await show("the track, for \(SuspendingClock.now.duration(to: instant)) more")
        case .unavailable: await show("locked")
        }
    }
}

/// Whether a page of the track may be opened.
func mayShow(_ client: WaymarkClient) async throws -> Bool { try await client.isProtectedDataAvailable() }

/// Whether an export of several minutes may begin: the data must not be about to be locked.
func mayExport(_ client: WaymarkClient) async throws -> Bool {
    let state: ProtectedData = try await client.protectedData()
    if state.isAvailable, state != .available { print("try again after the next unlock") }
    return state == .available
}

/// Adds a region; false while the data is locked since the daemon started. The events of the monitor come in any case when
/// somebody unlocks it.
func watch(_ region: LocationMonitor.Condition, named name: String, _ monitor: LocationMonitor) async throws -> Bool {
    do {
        try await monitor.add(region, identifier: name)
        return true
    } catch let error as WaymarkError where error.isProtectedDataUnavailable {
        return false
    }
}

/// Has decrypted notes in memory while the machine is unlocked.
@MainActor final class Notebook: ApplicationDelegate {
    private var notes: [String]? = []

    func applicationProtectedDataWillBecomeUnavailable(_ application: Application) {
        if case .becomingUnavailable(let instant) = application.protectedData {
            print("saves its notes within \(SuspendingClock.now.duration(to: instant))")
        }
        notes = nil
    }

    func applicationProtectedDataDidBecomeAvailable(_ application: Application) { notes = [] }
}
