import Authorization
import Containers
import Location

/// What is stored about waking one app: it survives restarts of the daemon and of the machine.
public struct WakeRecord: Equatable, Sendable {
    /// Why an app is not woken until it starts by itself.
    public enum Hold: Equatable, Sendable {
        /// A person forced it to quit.
        case forcedQuit(ForcedQuit, at: UTCTime)
        /// It was woken three times in a row without success.
        case paused(Failure, at: UTCTime)
    }

    /// How a person forced an app to quit.
    public enum ForcedQuit: String, CaseIterable, Sendable {
        /// Its service was stopped.
        case stopped
        /// Its service was disabled.
        case disabled
        /// Its service was masked.
        case masked
        /// A person decided that it is no longer woken.
        case decision
    }

    /// Why a wake had no success.
    public enum Failure: String, CaseIterable, Sendable {
        /// The app did not attach in time.
        case neverAttached
        /// It ended without having acknowledged an event, or its service failed.
        case ended
        /// Its service could not be started.
        case notStarted
        /// There is no such service, or no manifest names it for the program that starts services.
        case noService
    }

    /// Whether a service is started by itself, as its manager reports it.
    public enum UnitFile: String, CaseIterable, Sendable {
        /// It is enabled, or has no such setting.
        case enabled
        /// A person has disabled it.
        case disabled
        /// A person has masked it, so that it cannot be started.
        case masked
    }

    /// A wake that was ordered and has not led to an attached app yet.
    public struct Attempt: Equatable, Sendable {
        /// The number of the order.
        public var order: Int64
        /// What the app is woken for.
        public var cause: WakeCause
    }

    /// How the app came to run.
    public struct Launch: Equatable, Sendable {
        /// What it was woken for; nil if it started by itself.
        public var cause: WakeCause?
        /// Its process; nil where the kernel does not show when a process began.
        public var process: Continuation.Mark?
        /// Whether it started by itself after a person had forced it to quit.
        public var isAfterForcedQuit = false
    }

    /// Why it is not woken; nil if it may be.
    public internal(set) var hold: Hold?
    /// How often it may still be woken.
    public internal(set) var budget = WakeBudget()
    /// Wakes in a row without success.
    public internal(set) var failures = 0
    /// The pending wake.
    public internal(set) var attempt: Attempt?
    /// The number of the last order.
    public internal(set) var lastOrder: Int64 = 0
    /// When it was last woken.
    public internal(set) var wokenAt: UTCTime?
    /// What it was last woken for.
    public internal(set) var wokenFor: WakeCause?
    /// How it last came to run.
    public internal(set) var launch: Launch?
    /// The setting of its service, as it was last reported.
    public internal(set) var unitFile: UnitFile?
    /// What it is to be woken for besides its regions, and whether the path or the host is away at present.
    public internal(set) var subscriptions: [WakeSubscription: Bool] = [:]
    /// The events of its subscriptions.
    public internal(set) var queue = WakeQueue()

    /// A record of an app that was never woken.
    public init() {}

    /// Whether the app has requested events for which the position of the machine is observed.
    public var observesPlaces: Bool { subscriptions[.visits] != nil || subscriptions[.significantChange] != nil }

    /// Whether there is nothing to store.
    public var isEmpty: Bool { self == WakeRecord() }
}

extension WakeRecord {
    /// The most hosts of an app.
    public static let mostTargets = 16

    /// Adds a subscription. `isUnreachable` is whether the path or the host cannot be used at present.
    /// - Returns: Whether there was room for it.
    public mutating func subscribe(_ subscription: WakeSubscription, isUnreachable: Bool) -> Bool {
        guard subscriptions[subscription] == nil else { return true }
        if case .target = subscription {
            let targets = subscriptions.keys.count { $0.cause == .target }
            guard targets < Self.mostTargets else { return false }
        }
        subscriptions[subscription] = isUnreachable
        return true
    }

    /// Removes a subscription and its events.
    public mutating func unsubscribe(_ subscription: WakeSubscription) {
        subscriptions[subscription] = nil
        queue.remove(subscription)
    }

    /// The path or a host can be used now, or not. Returns whether it is back, for which there is an event then.
    public mutating func observe(_ subscription: WakeSubscription, isUnreachable: Bool, at time: UTCTime) -> Observation
    {
        guard let wasUnreachable = subscriptions[subscription], wasUnreachable != isUnreachable else {
            return .unchanged
        }
        subscriptions[subscription] = isUnreachable
        guard !isUnreachable else { return .changed }
        queue.append(subscription, at: time)
        return .event
    }

    /// Something has happened. Returns false if the app has no such subscription.
    public mutating func add(_ subscription: WakeSubscription, at time: UTCTime) -> Bool {
        guard subscriptions[subscription] != nil else { return false }
        queue.append(subscription, at: time)
        return true
    }

    /// Records of a container have changed on another machine. An event of the container that is pending is replaced: the app may
    /// have read it already, and acknowledges it without knowing of these changes. The later event has its subscriptions as well.
    public mutating func push(
        _ container: SyncedContainer, fired: [FiredSubscription] = [], at time: UTCTime
    ) {
        let pending = queue.events.first { $0.subscription == .push(container) }
        queue.remove(.push(container))
        queue.append(
            .push(container), fired: FiredSubscription.joined(pending?.fired ?? [], fired), at: time)
    }

    /// Erases the events up to a number. Returns false if there is no such event.
    public mutating func acknowledge(upTo number: Int64) -> Bool { queue.acknowledge(upTo: number) }

    /// Erases what discloses a place: events of visits and significant changes. Returns whether there were any.
    public mutating func eraseEventsOfPlaces() -> Bool {
        let before = queue.events.count
        queue.events.removeAll { $0.subscription == .visits || $0.subscription == .significantChange }
        return queue.events.count != before
    }

    /// The result of an observation.
    public enum Observation: Equatable, Sendable {
        /// Nothing is different.
        case unchanged
        /// The record is different, and there is no event.
        case changed
        /// There is an event.
        case event
    }
}
