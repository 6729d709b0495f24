import Journal
import Location
import Platform
import Protection
import Storage

/// Values of the daemon's in the journal's database that are sealed once a passphrase is set.
///
/// They have the class `completeUntilFirstUnlock`: the daemon has them in memory while it runs, so a stricter class would
/// protect nothing. A value that cannot be opened is left as it is until it can be; a value that cannot be sealed is stored
/// later, never plain. What the journal refuses is left to the owner of the values, who stores or erases it again.
@DaemonActor
final class ProtectedValues {
    private let journal: EventJournal
    private let protection: DataProtection
    /// The stored values that cannot be opened at present.
    private var locked: [String: SealedValue] = [:]
    /// The names whose stored value is plain.
    private var plain: Set<String> = []
    /// The names whose stored value is sealed, also where it was changed.
    private var sealed: Set<String> = []
    /// The names whose value is being stored plain, because protection is being switched off.
    private var ending: Set<String> = []
    /// The names whose newest value could not be sealed.
    private var unsaved: Set<String> = []
    /// The names whose newest value, or erasure, the journal has refused.
    private(set) var refused: Set<String> = []
    /// The number of the latest write of each name, until the journal has replied to it.
    private var latest: [String: Int] = [:]
    private var writes = 0

    /// A write to which the journal has not replied.
    private struct Write {
        enum Content { case plain, sealed, nothing }

        let number: Int
        let content: Content
        /// Whether it replaces a plain value by a sealed one.
        let replacesPlain: Bool
    }

    init(_ protection: DataProtection, journal: EventJournal) {
        self.protection = protection
        self.journal = journal
    }

    /// The names of values that cannot be opened at present.
    var lockedNames: [String] { Array(locked.keys) }

    /// Whether there is a value of this name that cannot be opened at present.
    func isLocked(_ name: String) -> Bool { locked[name] != nil }

    /// Takes a value as it was stored. Returns its text; nil if it cannot be opened, or not yet.
    func restore(_ stored: String, name: String) -> String? {
        guard SealedValue.isSealed(stored) else {
            plain.insert(name)
            return stored
        }
        sealed.insert(name)
        guard let value = SealedValue(stored: stored, name: name) else {
            Log.error("a sealed value cannot be read, and is left as it is: it is damaged, or of a newer release")
            return nil
        }
        switch protection.open(value) {
        case .text(let text): return text
        case .locked: locked[name] = value
        case .damaged: Log.error("a sealed value cannot be opened, and is left as it is: it was changed")
        }
        return nil
    }

    /// Stores a text, or nothing, under a name.
    func store(_ text: String?, name: String) {
        guard locked[name] == nil else {
            unsaved.insert(name)
            return
        }
        guard let text, protection.seals else {
            unsaved.remove(name)
            if text == nil {
                plain.remove(name)
                sealed.remove(name)
            } else {
                plain.insert(name)
            }
            return write(text, name: name)
        }
        guard let value = protection.seal(text, name: name) else {
            unsaved.insert(name)
            return
        }
        unsaved.remove(name)
        let wasPlain = plain.remove(name) != nil
        sealed.insert(name)
        write(value.stored, name: name, replacesPlain: wasPlain)
    }

    /// Removes what is stored under a name. The completion receives what the journal replies.
    func erase(_ name: String, completion: (@DaemonActor (Result<Void, StorageError>) -> Void)? = nil) {
        locked[name] = nil
        plain.remove(name)
        sealed.remove(name)
        unsaved.remove(name)
        write(nil, name: name, completion: completion)
    }

    /// The values that can be opened since the keys have changed.
    func removeOpened() -> [(name: String, text: String)] {
        var opened: [(name: String, text: String)] = []
        for (name, value) in locked {
            switch protection.open(value) {
            case .text(let text): opened.append((name, text))
            case .locked: continue
            case .damaged: Log.error("a sealed value cannot be opened, and is replaced by a new one: it was changed")
            }
            locked[name] = nil
        }
        return opened
    }

    /// The names whose values are to be stored again, because they are plain or older than those in memory.
    var due: Set<String> {
        let missing = unsaved.union(refused)
        if protection.isEnding { return sealed.union(missing).subtracting(ending).subtracting(locked.keys) }
        return protection.hasPassphrase ? plain.union(missing) : []
    }

    /// The names whose newest value, or erasure, is not durable: the journal has refused it or has not replied.
    var unsettledNames: Set<String> { refused.union(latest.keys) }

    /// Whether all values are stored or erased as far as the journal is concerned: it has refused none, and has replied to
    /// every write.
    var isSettled: Bool { refused.isEmpty && latest.isEmpty }

    /// Whether no value remains that is sealed with the keys of the present file.
    var arePlain: Bool {
        let keyFile = protection.file?.id
        return unsaved.isEmpty && refused.isEmpty
            && sealed.allSatisfy { locked[$0].map { $0.keyFile != keyFile } ?? false }
    }

    private func write(
        _ text: String?, name: String, replacesPlain: Bool = false,
        completion: (@DaemonActor (Result<Void, StorageError>) -> Void)? = nil
    ) {
        writes += 1
        let content = text.map { SealedValue.isSealed($0) ? Write.Content.sealed : .plain } ?? .nothing
        let write = Write(number: writes, content: content, replacesPlain: replacesPlain)
        latest[name] = write.number
        refused.remove(name)
        if content != .sealed { ending.insert(name) }
        journal.append([], changes: [.value(name, text)]) { [weak self] result in
            DaemonActor.assumeIsolated {
                self?.written(name, write, result)
                completion?(result)
            }
        }
    }

    /// The journal has performed a write, or has refused it.
    private func written(_ name: String, _ write: Write, _ result: Result<Void, StorageError>) {
        let isLatest = latest[name] == write.number
        if isLatest { latest[name] = nil }
        if write.content != .sealed { ending.remove(name) }
        if case .failure(let error) = result {
            Log.warning("a value could not be stored, which is tried again: \(error)")
            // A later write has taken the place of this one.
            if isLatest { refused.insert(name) }
            // The value of before is stored still: one that is plain is still to be sealed.
            if write.replacesPlain { plain.insert(name) }
            return
        }
        switch write.content {
        case .sealed:
            sealed.insert(name)
            // The plain value may be one that an earlier write, which was refused, was to replace.
            let hasReplaced = isLatest && plain.remove(name) != nil
            if write.replacesPlain || hasReplaced { journal.emptyLog() }
        case .plain: if plain.contains(name) { sealed.remove(name) }
        case .nothing:
            guard isLatest else { return }
            plain.remove(name)
            sealed.remove(name)
        }
    }
}
