import Events
import Interfaces
import Journal
import Location
import Platform
import Storage

// Changes of recordings requested by apps and operators.

extension RecordingRegistry {
    /// Starts or continues an app's recording, durably.
    func start(
        _ key: RecordingKey, _ options: RecordingOptions,
        completion: @escaping @Sendable @DaemonActor (Result<StoredRecording, StorageError>) -> Void
    ) {
        let entry = recordings[key.app]?[key.identifier]
        if let entry, entry.isRevoked {
            // The pending erasure precedes the new start of the recording.
            erase(entry)
        } else if let entry, entry.stored.isStarted, entry.stored.options == options {
            return completion(.success(entry.stored))
        }
        let events = bounded(Self.event(.recordingStarted, key))
        journal.startRecording(key, options, reporter: events) { [weak self] result in
            DaemonActor.assumeIsolated {
                self?.carriedOut(result, events)
                completion(result)
            }
        }
    }

    /// Stops an app's recording, durably.
    func stop(
        _ entry: JournalRecording,
        completion: @escaping @Sendable @DaemonActor (Result<StoredRecording, StorageError>) -> Void
    ) {
        guard entry.stored.isStarted else { return completion(.success(entry.stored)) }
        let events = bounded(Self.event(.recordingStopped, entry.stored.key))
        journal.stopRecording(entry.stored.key, reporter: events) { [weak self] result in
            DaemonActor.assumeIsolated {
                self?.carriedOut(result, events)
                completion(result)
            }
        }
    }

    /// Erases a recording, durably. The completion receives the number of erased positions.
    func erase(
        _ entry: JournalRecording, by eraser: String,
        completion: @escaping @Sendable @DaemonActor (Result<Int64, StorageError>) -> Void
    ) {
        let key = entry.stored.key
        let id = entry.stored.id
        let event = Self.event(.recordingErased, key, "by", eraser)
        // An operator's action is always recorded, even if the app has exhausted its allowance of events.
        let events = event.isByOperator ? [event] : bounded(event)
        journal.eraseRecording(key, reporter: events) { [weak self] result in
            DaemonActor.assumeIsolated {
                if case .success = result { self?.erased(key, id: id, events) }
                completion(result)
            }
        }
    }

    /// The event, unless the app has caused too many.
    private func bounded(_ event: Event) -> [Event] { recorder.mayRecord(event) ? [event] : [] }

    private func carriedOut(_ result: Result<StoredRecording, StorageError>, _ events: [Event]) {
        guard case .success(let stored) = result else { return }
        for event in events { recorder.events.notify(event) }
        // A report after the commit is newer, if the recording still exists.
        if recording(stored.key) == nil { apply(stored) }
    }

    static func event(
        _ kind: EventKind, _ key: RecordingKey, _ name: String? = nil, _ word: String = ""
    ) -> Event {
        var details: EventDetails = ["recording": .text(key.identifier)]
        if let name { details.append(name, .text(word)) }
        return Event(kind, app: key.app.name, uid: key.app.uid, details: details)
    }
}
