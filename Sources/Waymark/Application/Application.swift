import Glibc
import Interfaces
import Location
import Platform

/// The main loop of an app without a toolkit: a daemon, a service, or a program in a terminal.
///
///     @MainActor final class Gate: ApplicationDelegate {
///         func application(
///             _ application: Application, didFinishLaunchingWithOptions launchOptions: Application.LaunchOptions
///         ) { … }
///     }
///     await Application.run(Gate())
///
/// `run` calls the delegate in the manner of UIKit's `UIApplicationDelegate`, always on the main actor: from the signals that
/// end a program, from logind, from the control group of the process and from the daemon, to which it has a connection for
/// the state of protected data. It saves and restores the state of
/// the app in a `StateStore`. Other tasks of the main actor run meanwhile.
@MainActor public final class Application {
    /// Whether the person uses the app.
    public enum State: Equatable, Sendable {
        /// It is in front, and about to become active or to leave the foreground.
        case inactive
        /// The person uses it.
        case active
        /// It runs, and the person does not use it. The state of every service.
        case background
    }

    /// Why the app was launched, or thawed.
    public struct LaunchOptions: Equatable, Sendable {
        /// What the daemon replied; nil if there is no daemon, or the program is no app.
        public var reason: Wakes.LaunchReason?

        /// Whether it was woken for a place: something at the border of a region, a visit or a significant change. The
        /// equivalent of UIKit's launch option `location`.
        public var location: Bool {
            switch reason?.cause {
            case .regions?, .visits?, .significantChange?: true
            default: false
            }
        }
    }

    /// Whether the person uses the app. When a method of the delegate is called, this is the new state already, as in UIKit
    /// except for `applicationWillResignActive(_:)`.
    public private(set) var state: State
    /// Why the app was launched, or last thawed.
    public private(set) var launchOptions = LaunchOptions()
    /// Whether protected data can be read, as the delegate knows it; nil until the daemon has reported it, soon after the
    /// launch. `WaymarkClient.isProtectedDataAvailable()` queries it at once.
    public private(set) var protectedData: ProtectedData?

    private let delegate: any ApplicationDelegate
    private let store: StateStore?
    private let client: WaymarkClient
    private let inputs: AsyncStream<ApplicationLifeCycle.Input>
    private let input: AsyncStream<ApplicationLifeCycle.Input>.Continuation
    private var lifeCycle: ApplicationLifeCycle
    private var activity: Activity
    private var session: ActivitySession?

    private init(
        _ delegate: any ApplicationDelegate, _ activity: Activity, _ store: StateStore?, _ client: WaymarkClient,
        isPresent: Bool
    ) {
        self.delegate = delegate
        self.activity = activity
        self.store = store
        self.client = client
        lifeCycle = ApplicationLifeCycle(activity: activity, isPresent: isPresent)
        state = lifeCycle.state
        (inputs, input) = AsyncStream.makeStream()
    }

    /// Runs an app. Returns when it is to end, after `applicationWillTerminate(_:)`: because of SIGTERM, SIGINT or SIGHUP, or
    /// because the app has called `terminate()`. A second signal ends the process at once.
    ///
    /// To be called once, before anything else. Under systemd, a service with `Type=notify` is reported ready when
    /// `didFinishLaunchingWithOptions` has returned.
    ///
    /// - Parameters:
    ///   - delegate: Receives the calls.
    ///   - activity: What the app declares to the daemon at first: `active` for a program in front of a person. What a service
    ///     of the machine declares has no effect.
    ///   - store: Where the state of the app is saved: when it goes to the background, and at its end. It is restored before
    ///     `didFinishLaunchingWithOptions`, except that it is discarded after a person has forced the app to quit. Nil for an
    ///     app without such a state.
    ///   - client: The client of the daemon.
    public static func run(
        _ delegate: any ApplicationDelegate, activity: Activity = .background, store: StateStore? = nil,
        client: WaymarkClient = WaymarkClient()
    ) async {
        let sources = ApplicationSources()
        let application = Application(delegate, activity, store, client, isPresent: sources.isPresent)
        sources.start { [input = application.input] in input.yield($0) }
        await application.run { sources.waitUntilSettled() }
        sources.stop()
    }

    /// Declares another activity to the daemon, for example `active` when the person opens the app's page. Without effect in
    /// a service of the machine.
    public func setActivity(_ activity: Activity) {
        self.activity = activity
        declare()
        input.yield(.declared(activity))
    }

    /// Ends the app as SIGTERM does, for example when it was woken and has handled everything. Returns at once.
    public func terminate() { input.yield(.terminate) }

    /// Runs until the end. What has to be waited for before the launch goes on during the call of the daemon.
    private func run(beforeLaunch: () -> Void) async {
        let protectedDataTask = Task { await reportProtectedData() }
        defer { protectedDataTask.cancel() }
        launchOptions = LaunchOptions(reason: await askForReason())
        restoreState()
        beforeLaunch()
        if activity != .background { declare() }
        delegate.application(self, didFinishLaunchingWithOptions: launchOptions)
        ServiceManager.notify(.ready(status: "Running."))
        await perform(lifeCycle.begin())
        for await input in inputs {
            if case .protectedData(let state) = input { protectedData = state }
            await perform(lifeCycle.handle(input))
            if lifeCycle.isOver { break }
        }
        session?.invalidate()
    }

    private func declare() {
        if let session { session.setActivity(activity) } else { session = ActivitySession(activity, client: client) }
    }

    /// Reports whether protected data can be read, until the app ends. Without a daemon nothing is reported.
    private func reportProtectedData() async {
        var pause = DoublingPause(first: .milliseconds(500), longest: .seconds(60))
        while !Task.isCancelled {
            do {
                for try await state in client.protectedDataUpdates() {
                    pause.reset()
                    input.yield(.protectedData(state))
                }
            } catch {
                // A daemon that is older may be updated while the app runs, and one with too many connections has fewer later.
            }
            // The sleep throws only if the task is cancelled.
            do { try await Task.sleep(for: pause.nextAtRandom()) } catch { return }
        }
    }

    private func perform(_ callbacks: [ApplicationLifeCycle.Callback]) async {
        for callback in callbacks {
            switch callback {
            case .willEnterForeground:
                state = .inactive
                delegate.applicationWillEnterForeground(self)
            case .didBecomeActive:
                state = .active
                delegate.applicationDidBecomeActive(self)
            case .willResignActive:
                delegate.applicationWillResignActive(self)
                state = .inactive
            case .didEnterBackground:
                state = .background
                delegate.applicationDidEnterBackground(self)
            case .didResume:
                launchOptions = LaunchOptions(reason: await askForReason())
                delegate.application(self, didResumeWithOptions: launchOptions)
            case .protectedDataWillBecomeUnavailable: delegate.applicationProtectedDataWillBecomeUnavailable(self)
            case .protectedDataDidBecomeAvailable: delegate.applicationProtectedDataDidBecomeAvailable(self)
            case .saveState: saveState()
            case .willTerminate:
                ServiceManager.notify(.stopping(status: "Ending."))
                delegate.applicationWillTerminate(self)
            }
        }
    }

    /// Asks the daemon why the app runs. A daemon that is being restarted is waited for; without one there is no reason.
    private func askForReason() async -> Wakes.LaunchReason? {
        let deadline = PollDeadline(seconds: WaymarkClient.answerTime)
        while true {
            do { return try await client.wakes.launchReason() } catch {
                switch error as? WaymarkError {
                case .disconnected? where !deadline.hasPassed: break
                default: return nil
                }
            }
            // Throws only if the task is cancelled; the next call then fails.
            do { try await Task.sleep(for: .milliseconds(50)) } catch { return nil }
        }
    }

    // The state of the app

    private func restoreState() {
        guard let store else { return }
        do throws(StateStoreError) {
            let restoration = try store.restore(
                afterForcedQuit: launchOptions.reason?.isAfterForcedQuit == true,
                if: { delegate.application(self, shouldRestoreState: $0) },
                migrating: { try delegate.application(self, migrateState: $0) },
                { try delegate.application(self, didDecodeRestorableStateWith: $0) })
            delegate.application(self, didEndRestoration: restoration)
        } catch {
            delegate.application(self, didFailWithStateError: error)
        }
    }

    private func saveState() {
        guard let store else { return }
        do throws(StateStoreError) {
            try store.save(if: { delegate.applicationShouldSaveState(self) }) { state in
                delegate.application(self, willEncodeRestorableStateWith: &state)
            }
        } catch {
            delegate.application(self, didFailWithStateError: error)
        }
    }
}
