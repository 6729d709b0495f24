import Authorization
import Journal
import Location

// The classes of data protection with which recordings are stored.

extension RecordingRegistry {
    /// The lock under which new positions of a recording are.
    private func sealing(_ key: RecordingKey) -> DataProtection { protections.sealing(key.app.uid) }

    /// Whether positions of a recording can be stored with their class at present.
    func canWrite(_ key: RecordingKey) -> Bool { sealing(key).canWrite(protection(of: key)) }

    /// The class that a recording is to have: what the manifest requests, or else the class by which an upload goes on while the
    /// data is locked, or that which only the person can read then; never less than a restriction demands. Without a passphrase
    /// nothing can lock.
    func leastProtection(of key: RecordingKey) -> ProtectionClass {
        guard sealing(key).seals else { return .none }
        let usual: ProtectionClass =
            uploads?.hasUpload(UploadKey(key)) == true ? .completeUntilFirstUnlock : .completeUnlessOpen
        return atLeastRestricted(authorizer.policy.manifests[key.app]?.protection ?? usual)
    }

    /// The class with which positions of a recording are stored now. Where no class was requested, a class that cannot be written
    /// before the first unlock is replaced by one that can: no position is lost because a machine has started by itself.
    func protection(of key: RecordingKey) -> ProtectionClass {
        let least = leastProtection(of: key)
        guard least == .completeUntilFirstUnlock, sealing(key).access == .neverUnlocked,
            authorizer.policy.manifests[key.app]?.protection == nil
        else { return least }
        return .completeUnlessOpen
    }

    private func atLeastRestricted(_ protection: ProtectionClass) -> ProtectionClass {
        max(protection, authorizer.policy.restrictions.minimumProtection)
    }

    /// Passes the classes of all recordings to the journal, if one has changed.
    func updateClasses() {
        var new: [RecordingID: ProtectionClass] = [:]
        for entry in recordings.values.flatMap(\.values) {
            new[entry.stored.id] = leastProtection(of: entry.stored.key)
        }
        let isEnding = protections.machine.isEnding
        guard new != classes || isEnding != lowersClasses else { return }
        (classes, lowersClasses) = (new, isEnding)
        journal.setClasses(new, lowers: lowersClasses)
    }

    /// The data was locked or unlocked, or a passphrase was set.
    func protectionChanged() {
        for app in Array(recordings.keys) { review(app) }
        updateClasses()
        changes.report(.statusDetailChanged)
    }
}
