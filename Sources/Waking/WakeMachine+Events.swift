import Authorization

extension WakeMachine {
    /// What is known about the app when an event is handled.
    public struct Situation: Equatable, Sendable {
        /// The events that are pending, and for which its manifest wakes it, whether or not it may know them.
        public var pending: Set<WakeCause>
        /// The causes for which it is authorized at present.
        public var permitted: Set<WakeCause>
        /// Whether a program that starts its service is there.
        public var hasHelper: Bool

        /// A situation.
        public init(pending: Set<WakeCause> = [], permitted: Set<WakeCause> = [], hasHelper: Bool = false) {
            self.pending = pending
            self.permitted = permitted
            self.hasHelper = hasHelper
        }

        /// Whether an event is pending.
        var isPending: Bool { !pending.isEmpty }

        /// The first pending event for which the app may be woken, in the order of the manifest's words.
        var cause: WakeCause? { WakeCause.allCases.first(where: permits) }

        /// Whether an event of this kind is pending and permitted.
        func permits(_ cause: WakeCause) -> Bool { pending.contains(cause) && permitted.contains(cause) }
    }

    /// An event.
    public enum Event: Equatable, Sendable {
        /// The situation may be another than before: something is pending, or is not any more.
        case situationChanged
        /// A process of the app has attached, or was thawed, and none ran before.
        case woke(Continuation.Mark?)
        /// The last process of the app has ended, or was frozen.
        case slept
        /// The app has acknowledged an event.
        case acknowledged
        /// The result of an order.
        case reported(Int64, Outcome)
        /// A person has stopped its service, or has decided that it is not woken.
        case stopped(WakeRecord.ForcedQuit)
        /// The setting of its service.
        case unitFile(WakeRecord.UnitFile)
        /// Its service has failed.
        case unitFailed
        /// Its service does not run any more.
        case unitEnded
        /// A person permits again that it is woken.
        case allowed
        /// The program that starts services has come, or can do so again.
        case helperCame
        /// The deadline has passed.
        case timePassed
    }

    /// The result of an order.
    public enum Outcome: String, CaseIterable, Sendable {
        /// The service was started.
        case started
        /// The service was thawed.
        case thawed
        /// The service runs already.
        case alreadyRunning
        /// The service manager starts nothing now.
        case unavailable
        /// A person has stopped the service.
        case stopped
        /// The service is masked.
        case masked
        /// There is no such service, or no manifest names one.
        case noService
        /// The service could not be started.
        case notStarted
    }

    /// What is to be done, in this order.
    public enum Effect: Equatable, Sendable {
        /// The record has changed, and is to be stored. Always the first one; the orders after it are given when it is
        /// durable.
        case save
        /// The service is to be started or thawed, if `mayGive` still says so.
        case order(Int64, WakeCause)
        /// An order does not stand any more.
        case withdraw(Int64)
        /// Something for the journal.
        case note(Note)
    }

    /// Something for the journal.
    public enum Note: Equatable, Sendable {
        /// The app was woken.
        case woken(WakeCause)
        /// The budget delays a wake.
        case delayed
        /// A wake had no success.
        case failed(WakeRecord.Failure)
        /// The app is not woken until it starts by itself, because that failed three times.
        case paused(WakeRecord.Failure)
        /// The app is not woken until it starts by itself, because a person forced it to quit.
        case forcedQuit(WakeRecord.ForcedQuit)
        /// The app is woken again.
        case allowed
    }

    /// Why an app with pending events is not woken.
    public enum Refusal: Equatable, Sendable {
        /// It is not authorized for them at present.
        case notAuthorized
        /// A person forced it to quit.
        case forcedQuit(WakeRecord.ForcedQuit)
        /// It was woken without success.
        case paused(WakeRecord.Failure)
        /// No program is there that starts its service.
        case noHelper
        /// The program that starts its service could not do so shortly before.
        case unavailable
        /// Its budget is used up.
        case budget
    }
}
