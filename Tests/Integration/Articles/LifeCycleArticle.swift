// The examples of LifeCycle.md in the catalogue, as they are shown: `DocumentationTests` compares the lines.

import Waymark

/// Counts the parcels of a courier, whose page may be in front, as a service that also sleeps.
@MainActor final class Courier: ApplicationDelegate {
    private var parcels = 0

    func application(
        _ application: Application, didFinishLaunchingWithOptions launchOptions: Application.LaunchOptions
    ) {
        if launchOptions.location { print("woken by a border, a visit or a long way") }
        print("launched because of \(launchOptions.reason?.cause?.rawValue ?? "somebody")")
    }

    func application(_ application: Application, didResumeWithOptions launchOptions: Application.LaunchOptions) {
        print("thawed; \(launchOptions.reason?.reasons.count ?? 0) kinds of events are pending")
    }

    /// The person opens the page of the app, and closes it.
    func show(_ isOpen: Bool, _ application: Application) { application.setActivity(isOpen ? .active : .background) }

    func applicationWillEnterForeground(_ application: Application) { print("in front soon") }
    func applicationDidBecomeActive(_ application: Application) { print("in front") }
    func applicationWillResignActive(_ application: Application) { print("behind soon") }
    func applicationDidEnterBackground(_ application: Application) { print("behind") }
    func applicationWillTerminate(_ application: Application) { print("\(parcels) parcels, \(application.state)") }
}

extension StateKey<Int> {
    fileprivate static var parcels: Self { "parcels" }
}

/// A counter whose number is there again after a crash, a reboot or an update.
@MainActor final class Counter: ApplicationDelegate {
    private(set) var parcels = 0

    func application(_ application: Application, didDecodeRestorableStateWith state: StateDecoder) {
        parcels = state.decode(.parcels) ?? 0
    }

    func application(_ application: Application, willEncodeRestorableStateWith state: inout StateEncoder) {
        state.encode(parcels, for: .parcels)
    }

    func applicationShouldSaveState(_ application: Application) -> Bool { parcels > 0 }

    func application(_ application: Application, shouldRestoreState saved: SavedState) -> Bool {
        saved.contents.count < 10_000
    }

    func application(_ application: Application, migrateState saved: SavedState) -> StateArchive? { nil }

    func application(_ application: Application, didEndRestoration restoration: Restoration) {
        if case .discarded(let reason) = restoration { print("begins at nothing: \(reason)") }
    }

    func application(_ application: Application, didFailWithStateError error: StateStoreError) {
        print("the number was not stored: \(error)")
    }
}

/// Runs the counter until a signal ends it, or its work is done.
func runCounter(_ store: StateStore, until isDone: @escaping (Application) async -> Void) async {
    await Application.run(Counter(), activity: .background, store: store)
}

/// Ends an app that has handled everything, unless it is in front.
@MainActor func sleep(_ application: Application) {
    switch application.state {
    case .background: application.terminate()
    case .active, .inactive: print("the person still uses it: \(application.launchOptions)")
    }
}
