import Authorization
import Events
import GPSD
import Journal
import Location
import Platform
import Tracking

/// Records events of gpsd, its receivers and the fix, a limited number of each kind: a receiver with a loose contact,
/// or a malicious gpsd, must not fill the journal and the system's log.
///
/// Further events are counted, and an `eventsDropped` event reports how many of which kind were omitted.
@DaemonActor
final class ReceiverEvents {
    private let recorder: EventRecorder
    private let clock: any TimeSource
    private var allowances: [EventKind: NoteAllowance] = [:]
    private var timer: TimerSource?

    init(recorder: EventRecorder, clock: any TimeSource) throws(SystemError) {
        self.recorder = recorder
        self.clock = clock
        timer = try TimerSource(accuracy: .seconds(1)) { [weak self] in self?.reportMissing() }
    }

    /// Records an event, or counts it if there were too many of its kind.
    func record(_ kind: EventKind, _ details: EventDetails) {
        let event = Event(kind, details: details)
        guard allowances[kind, default: NoteAllowance(capacity: 1)].consume(event, at: now) else {
            if timer?.isArmed == false { armTimer() }
            return
        }
        recorder.record(event)
    }

    /// Records a change of a receiver.
    func record(_ change: Session.ReceiverChange, of receiver: String) {
        switch change {
        case .appeared: record(.receiverConnected, ["receiver": .text(receiver)])
        case .recovered: record(.receiverConnected, ["receiver": .text(receiver), "after": "silence"])
        case .becameStale: record(.receiverStale, ["receiver": .text(receiver)])
        case .removed: record(.receiverLost, ["receiver": .text(receiver), "reason": "gpsd released it"])
        }
    }

    /// Records a change of the fix, with the receiver if it is known.
    func record(_ event: Tracker.Event, receiver: String?) {
        var details: EventDetails = [:]
        if let receiver { details.append("receiver", .text(receiver)) }
        switch event {
        case .acquired(let seconds):
            if let seconds { details.append("afterSeconds", .real((seconds * 10).rounded() / 10)) }
            record(.fixAcquired, details)
        case .lost(let loss):
            details.append("reason", .text(loss.rawValue))
            record(.fixLost, details)
        }
    }

    /// Records the omitted events at the end of the daemon.
    func stop() {
        for kind in kinds {
            for event in allowances[kind]?.allReports() ?? [] { report(event, of: kind) }
        }
        timer = nil
    }

    private var now: Instant { Instant(clock) }

    private var kinds: [EventKind] { allowances.keys.sorted { $0.rawValue < $1.rawValue } }

    private func reportMissing() {
        for kind in kinds {
            for event in allowances[kind]?.reports(at: now) ?? [] { report(event, of: kind) }
        }
        armTimer()
    }

    private func report(_ missing: Event, of kind: EventKind) {
        var event = missing
        event.details.append("kind", .text(kind.rawValue))
        recorder.record(event)
    }

    private func armTimer() {
        if let next = allowances.values.compactMap(\.nextReport).min() { timer?.arm(at: next) }
    }
}
