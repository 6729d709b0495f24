import Interfaces
import Location

/// Why this app runs, and what it is woken for.
///
///     let wakes = WaymarkClient().wakes
///     let reason = try await wakes.launchReason()
///     try await wakes.subscribe(.path)
///     for try await event in wakes.events {
///         …
///         try await wakes.acknowledge(event)
///     }
///
/// An app whose manifest has a section `[Wake]` need not run to be notified: the daemon has its service started, or thawed,
/// when something happens at the border of one of its regions (`LocationMonitor`), or what it has subscribed to here. Events
/// are stored until they are acknowledged. The app is woken only while it is authorized always, except for pushes. None of
/// these calls blocks a thread of the caller's. Each throws a `WaymarkError`, or `CancellationError` if its task is cancelled.
///
/// Pushes need neither a subscription nor an authorization: an app whose manifest has `For=push` and `Containers=` is woken when
/// another machine has changed records of one of these containers. The changes are in the copy of this machine then.
public struct Wakes: Sendable {
    let client: WaymarkClient

    /// What an app is woken for, besides its regions.
    public enum Subscription: Hashable, Sendable {
        /// The machine has stayed somewhere, or has left the place of a stay.
        case visits
        /// The machine has moved by more than half a kilometre.
        case significantChange
        /// The route to the rest of the world is back.
        case path
        /// A host, by name or address, can be reached again.
        case target(host: String, port: UInt16? = nil)
    }

    /// Why an app runs.
    public struct LaunchReason: Equatable, Sendable {
        /// What it was woken for; nil if it has started by itself, or was started by a person or another program. Later
        /// releases may have other words.
        public var cause: WakingInterface.Cause?
        /// The events that are pending: with the monitor of regions or the container of a push, and the number of the first of
        /// them.
        public var reasons: [WakingInterface.Reason]
        /// Whether it has started by itself after a person had forced it to quit: it should start clean, without its last state.
        public var isAfterForcedQuit = false
        /// The containers whose records were changed on other machines, in the order of these events.
        public var pushedContainers: [String] { reasons.compactMap { $0.cause == .push ? $0.container : nil } }
        /// The subscriptions to queries that have fired, of all containers: what `CKQueryNotification.subscriptionID` is in
        /// CloudKit. At most the latest 16 of a container. A change that no subscription covers has none.
        public var firedSubscriptions: [FiredSubscription] {
            reasons.flatMap { reason in
                (reason.subscriptions ?? []).compactMap { FiredSubscription($0, of: reason.container) }
            }
        }
        /// Whether the daemon had it started or thawed.
        public var isWoken: Bool { cause != nil }
    }

    /// A `QuerySubscription` that has fired.
    public struct FiredSubscription: Hashable, Sendable {
        /// The name of the container.
        public var container: String
        /// The database that the subscription was saved in.
        public var databaseScope: Database.Scope
        /// The name of the subscription.
        public var subscriptionID: String

        init?(_ fired: WakingInterface.FiredSubscription, of container: String?) {
            guard let container, let scope = Database.Scope(word: fired.database) else { return nil }
            self.container = container
            databaseScope = scope
            subscriptionID = fired.name
        }
    }

    /// Something that has happened. Events of regions come from `LocationMonitor`.
    public struct Event: Equatable, Sendable {
        /// 1, 2, 3 … for the app.
        public var sequence: Int64
        /// What has happened. Later releases may have other words.
        public var cause: WakingInterface.Cause
        /// The host of `target`.
        public var host: String?
        /// The port of `target`; nil for any.
        public var port: UInt16?
        /// The container of `push`.
        public var container: String?
        /// The subscriptions to queries that have fired, of `push`.
        public var firedSubscriptions: [FiredSubscription]
        /// When it happened.
        public var date: UTCTime
    }

    /// Why this app runs, and the events that it has not acknowledged. Any call before does not change the reply.
    public func launchReason() async throws -> LaunchReason {
        let reply = try await client.reply(to: WakingInterface.GetLaunchReason(), more: false)
        return LaunchReason(
            cause: reply.launch == .woken ? reply.cause : nil, reasons: reply.reasons,
            isAfterForcedQuit: reply.isAfterForcedQuit == true)
    }

    /// Has the app woken for something from now on, also after restarts of the app and the machine. Returns when that is
    /// durable.
    ///
    /// - Throws: `.failed` with `NotDeclared` if the manifest does not name it, `InvalidSubscription` or
    ///   `TooManySubscriptions`, and a sentence.
    public func subscribe(_ subscription: Subscription) async throws {
        let words = subscription.words
        _ = try await client.reply(
            to: WakingInterface.Subscribe(cause: words.cause, host: words.host, port: words.port), more: false)
    }

    /// Ends a subscription and removes its events. Returns when that is durable.
    public func unsubscribe(_ subscription: Subscription) async throws {
        let words = subscription.words
        _ = try await client.reply(
            to: WakingInterface.Unsubscribe(cause: words.cause, host: words.host, port: words.port), more: false)
    }

    /// The events that are not acknowledged, and those that come from now on.
    public var events: Events { Events(client: client) }

    /// Acknowledges an event and all before it, which the daemon then removes. Returns when that is durable.
    public func acknowledge(_ event: Event) async throws {
        _ = try await client.reply(to: WakingInterface.Acknowledge(upTo: event.sequence), more: false)
    }
}

extension Wakes {
    /// The events of an app in order, for `for try await`. An event that is not acknowledged comes again when the app was
    /// restarted. If the daemon stops, the sequence waits until it is available again.
    public struct Events: AsyncSequence, Sendable {
        /// The elements of the sequence.
        public typealias Element = Event
        /// A `WaymarkError`.
        public typealias Failure = any Error

        let client: WaymarkClient

        /// Starts to listen.
        public func makeAsyncIterator() -> AsyncIterator {
            // As many as the daemon stores, so that none is dropped for a slow reader.
            let events = client.replies(of: WakingInterface.Monitor(), lasting: .always, buffering: 64) { $0.event }
            return AsyncIterator(events: events.makeAsyncIterator())
        }

        /// Reads events one by one.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var events: AsyncThrowingStream<WakingInterface.Event, any Error>.AsyncIterator
            private var last: Int64 = 0

            fileprivate init(events: AsyncThrowingStream<WakingInterface.Event, any Error>.AsyncIterator) {
                self.events = events
            }

            /// The next event; nil after the task was cancelled. Throws a `WaymarkError`.
            public mutating func next() async throws -> Event? {
                // A daemon that was restarted sends again what is not acknowledged.
                while let event = try await events.next() {
                    guard event.sequence > last else { continue }
                    last = event.sequence
                    return Event(event)
                }
                return nil
            }
        }
    }
}

extension Wakes.Event {
    init(_ event: WakingInterface.Event) {
        self.init(
            sequence: event.sequence, cause: event.cause, host: event.host, port: event.port,
            container: event.container,
            firedSubscriptions: (event.subscriptions ?? []).compactMap {
                Wakes.FiredSubscription($0, of: event.container)
            }, date: UTCTime(secondsSinceEpoch: event.time) ?? UTCTime(microseconds: 0))
    }
}

extension Wakes.Subscription {
    fileprivate var words: (cause: WakingInterface.Cause, host: String?, port: UInt16?) {
        switch self {
        case .visits: (.visits, nil, nil)
        case .significantChange: (.significantChange, nil, nil)
        case .path: (.path, nil, nil)
        case .target(let host, let port): (.target, host, port)
        }
    }
}

extension WaymarkClient {
    /// Why this app runs, and what it is woken for.
    public var wakes: Wakes { Wakes(client: self) }
}
