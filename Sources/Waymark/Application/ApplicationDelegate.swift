import Glibc

/// Receives the calls of `Application.run`: the equivalent of UIKit's `UIApplicationDelegate`. Each method may be left out.
@MainActor public protocol ApplicationDelegate: AnyObject {
    /// The app was launched: by itself, or because something has happened, see `launchOptions`.
    func application(
        _ application: Application, didFinishLaunchingWithOptions launchOptions: Application.LaunchOptions)
    /// The app is in front, and the person is at the machine.
    func applicationDidBecomeActive(_ application: Application)
    /// The app is about to leave the foreground: it has declared that, or the person has locked the screen or switched to
    /// another user.
    func applicationWillResignActive(_ application: Application)
    /// The app is in the background. Its state is saved when this has returned.
    func applicationDidEnterBackground(_ application: Application)
    /// The app is about to be in front again.
    func applicationWillEnterForeground(_ application: Application)
    /// The app is about to end. Its state is saved when this has returned.
    func applicationWillTerminate(_ application: Application)
    /// The control group of the app was frozen, and the app runs again: the daemon has thawed it because something has
    /// happened, or a person or another program has. A freeze itself cannot be announced.
    func application(_ application: Application, didResumeWithOptions launchOptions: Application.LaunchOptions)
    /// Protected data, such as recorded positions, is about to be locked: `protectedData` of the application has the instant,
    /// 10 s after the announcement. The data may be locked already, because the daemon was started again, or because the app
    /// did not run when that was announced.
    func applicationProtectedDataWillBecomeUnavailable(_ application: Application)
    /// Protected data can be read again: somebody has unlocked it, or it was not locked in the end.
    func applicationProtectedDataDidBecomeAvailable(_ application: Application)

    /// Whether a saved state is to be restored; called first.
    func application(_ application: Application, shouldRestoreState saved: SavedState) -> Bool
    /// Converts a state of another version of the app; nil to discard it.
    func application(_ application: Application, migrateState saved: SavedState) throws -> StateArchive?
    /// Restores the state of the app: before `didFinishLaunchingWithOptions`.
    func application(_ application: Application, didDecodeRestorableStateWith state: StateDecoder) throws
    /// The restoration has ended: it has succeeded, or the app starts without the last state.
    func application(_ application: Application, didEndRestoration restoration: Restoration)
    /// Whether there is a state to save; called first.
    func applicationShouldSaveState(_ application: Application) -> Bool
    /// Encodes the state of the app.
    func application(_ application: Application, willEncodeRestorableStateWith state: inout StateEncoder)
    /// The state could not be saved, or a saved one could not be read.
    func application(_ application: Application, didFailWithStateError error: StateStoreError)
}

extension ApplicationDelegate {
    /// Does nothing.
    public func application(
        _ application: Application, didFinishLaunchingWithOptions launchOptions: Application.LaunchOptions
    ) {}
    /// Does nothing.
    public func applicationDidBecomeActive(_ application: Application) {}
    /// Does nothing.
    public func applicationWillResignActive(_ application: Application) {}
    /// Does nothing.
    public func applicationDidEnterBackground(_ application: Application) {}
    /// Does nothing.
    public func applicationWillEnterForeground(_ application: Application) {}
    /// Does nothing.
    public func applicationWillTerminate(_ application: Application) {}
    /// Does nothing.
    public func application(_ application: Application, didResumeWithOptions launchOptions: Application.LaunchOptions) {
    }
    /// Does nothing.
    public func applicationProtectedDataWillBecomeUnavailable(_ application: Application) {}
    /// Does nothing.
    public func applicationProtectedDataDidBecomeAvailable(_ application: Application) {}
    /// Every state is restored.
    public func application(_ application: Application, shouldRestoreState saved: SavedState) -> Bool { true }
    /// A state of another version is discarded.
    public func application(_ application: Application, migrateState saved: SavedState) throws -> StateArchive? { nil }
    /// Restores nothing.
    public func application(_ application: Application, didDecodeRestorableStateWith state: StateDecoder) throws {}
    /// Does nothing.
    public func application(_ application: Application, didEndRestoration restoration: Restoration) {}
    /// The state is saved.
    public func applicationShouldSaveState(_ application: Application) -> Bool { true }
    /// Encodes nothing.
    public func application(_ application: Application, willEncodeRestorableStateWith state: inout StateEncoder) {}
    /// Writes the error to standard error.
    public func application(_ application: Application, didFailWithStateError error: StateStoreError) {
        let text = "The state of the app was not saved, or not restored: \(error)\n"
        _ = write(STDERR_FILENO, text, text.utf8.count)
    }
}
