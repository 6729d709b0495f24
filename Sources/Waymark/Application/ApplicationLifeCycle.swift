import Location

/// The decisions of `Application`: which methods of its delegate are called, and when its state is saved.
struct ApplicationLifeCycle {
    /// Something that has happened.
    enum Input: Equatable {
        /// The app has declared whether the person uses it.
        case declared(Activity)
        /// Whether the person is at the machine, so that the app can be in front.
        case present(Bool)
        /// The process was frozen, and runs again.
        case thawed
        /// Whether protected data can be read, at first and after each change.
        case protectedData(ProtectedData)
        /// The app is to end.
        case terminate
    }

    /// What follows, in this order.
    enum Callback: Equatable {
        case willEnterForeground, didBecomeActive, willResignActive, didEnterBackground, didResume, saveState,
            willTerminate, protectedDataWillBecomeUnavailable, protectedDataDidBecomeAvailable
    }

    private(set) var state: Application.State
    /// Whether it has ended.
    private(set) var isOver = false
    private var activity: Activity
    private var isPresent: Bool
    /// Whether the app relies on protected data, by the last callback or the state at first; nil until the first report.
    private var reliesOnProtectedData: Bool?

    /// An app that is launched.
    init(activity: Activity, isPresent: Bool) {
        self.activity = activity
        self.isPresent = isPresent
        state = .background
        // As in UIKit, an app that is launched in front is inactive at first.
        if target != .background { state = .inactive }
    }

    /// What follows the launch.
    mutating func begin() -> [Callback] { move(to: target) }

    mutating func handle(_ input: Input) -> [Callback] {
        guard !isOver else { return [] }
        switch input {
        case .declared(let activity): self.activity = activity
        case .present(let isPresent): self.isPresent = isPresent
        case .thawed: return [.didResume]
        case .protectedData(let state): return handle(state)
        case .terminate:
            isOver = true
            // The state is saved once, at the end.
            return move(to: .background).filter { $0 != .saveState } + [.willTerminate, .saveState]
        }
        return move(to: target)
    }

    /// The callbacks alternate. The state at first causes none, unless it announces a change.
    private mutating func handle(_ protectedData: ProtectedData) -> [Callback] {
        let relies = protectedData == .available
        let relied = reliesOnProtectedData ?? (protectedData != .unavailable)
        reliesOnProtectedData = relies
        guard relies != relied else { return [] }
        return [relies ? .protectedDataDidBecomeAvailable : .protectedDataWillBecomeUnavailable]
    }

    private var target: Application.State {
        guard isPresent else { return .background }
        return switch activity {
        case .active: .active
        case .inactive: .inactive
        default: .background
        }
    }

    private mutating func move(to target: Application.State) -> [Callback] {
        var callbacks: [Callback] = []
        if state == .background, target != .background {
            callbacks.append(.willEnterForeground)
            state = .inactive
        }
        if state == .active, target != .active {
            callbacks.append(.willResignActive)
            state = .inactive
        }
        if state == .inactive {
            switch target {
            case .active: callbacks.append(.didBecomeActive)
            case .background: callbacks += [.didEnterBackground, .saveState]
            case .inactive: break
            }
        }
        state = target
        return callbacks
    }
}
