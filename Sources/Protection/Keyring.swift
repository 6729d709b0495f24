import Cryptography
import Location

/// All keys with which rows can be sealed and opened at present: those of the machine, and those of users who have set a
/// passphrase of their own.
///
///     the user of a recording     new rows are sealed with     its rows are opened with
///     has no keys                 the machine's keys           the machine's keys
///     has keys                    the user's keys              both
///     switches them off           the machine's keys           both
///
/// Keys of other users open nothing: a row that was sealed with the keys of another user than that of its recording was moved.
public struct Keyring: Sendable {
    /// The keys of the machine. Only these have the key of the class `none`.
    public var machine: AvailableKeys
    /// The keys of users.
    private var users: [UInt32: AvailableKeys] = [:]

    /// The keys of the machine alone.
    public init(_ machine: AvailableKeys = AvailableKeys(machine: nil)) { self.machine = machine }

    /// The same keys with another key of the class `none`.
    public func with(machine key: SymmetricKey) -> Keyring {
        var keyring = self
        keyring.machine = machine.with(machine: key)
        return keyring
    }

    /// Sets the keys of a user; those without a file are none. For nil, sets those of the machine, and retains the key of the
    /// class `none`.
    public mutating func set(_ keys: AvailableKeys, of user: UInt32?) {
        if let user {
            users[user] = keys.keyFile == nil ? nil : keys
        } else {
            machine = machine.machine.map(keys.with(machine:)) ?? keys
        }
    }

    /// The keys of a user; nil for a user without.
    public func keys(of user: UInt32) -> AvailableKeys? { users[user] }

    /// What begins a segment of a class in a recording of a user, and the `id` of its file of keys; nil if the class cannot be
    /// written. While a user's protection is being switched off, the user's keys replace those of the machine where these
    /// cannot write the class, so that nothing that was queued before is lost.
    public func writing(
        _ protection: ProtectionClass, of user: UInt32
    ) -> (keys: WritingKeys, keyFile: [UInt8])? {
        if protection == .none { return machine.writing(.none).map { ($0, []) } }
        let own = users[user]
        for keys in own.map({ $0.isEnding ? [machine, $0] : [$0] }) ?? [machine] {
            if let writing = keys.writing(protection) { return (writing, keys.keyFile(of: protection)) }
        }
        return nil
    }

    /// The key that opens segments in a place of a recording of a user.
    public func reading(_ place: Segment.Place, of user: UInt32) -> ReadingKey {
        if place.protection != .none, let own = users[user], own.keyFile == place.keyFile { return own.reading(place) }
        return machine.reading(place)
    }

    /// The files of keys with which no row of a recording of a user is to remain sealed.
    public func leaving(of user: UInt32) -> [[UInt8]] {
        let own = users[user]
        let leavesMachine = machine.isEnding || own.map { !$0.isEnding } ?? false
        return [leavesMachine ? machine.keyFile : nil, own?.isEnding == true ? own?.keyFile : nil].compactMap { $0 }
    }
}
