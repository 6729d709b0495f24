import Configuration
import Location
import Platform
import Protection

/// The locks of users who have set a passphrase of their own, beside that of the machine. A user without one has the machine's.
@DaemonActor
final class UserProtections {
    let machine: DataProtection
    private var users: [UInt32: DataProtection] = [:]
    /// The users whose accounts were removed or changed.
    private var suspended: Set<UInt32> = []
    private var settings: Settings.Protection?
    /// Why the folder of users' files cannot be read, so that it is not known who has keys.
    private var problem: String?

    init(_ machine: DataProtection) {
        self.machine = machine
        machine.users = self
    }

    // Queries

    /// The lock under which recordings of a user are.
    func protection(of user: UInt32) -> DataProtection { own(user) ?? machine }

    /// The lock of a user; nil if the user has set no passphrase. While the files of users cannot be read, everybody but root has an
    /// unusable one, so that nothing is written with a lesser class or other keys than the user may have demanded.
    func own(_ user: UInt32) -> DataProtection? {
        if let known = users[user] { return known.hasPassphrase ? known : nil }
        guard let problem, user != 0 else { return nil }
        do throws(SystemError) {
            let unusable = try add(user)
            unusable.disable(because: problem)
            return unusable
        } catch {
            Log.error("the lock of user \(user) cannot be made: \(error)")
            return nil
        }
    }

    /// The locks of users, also of those whose first passphrase is being set.
    var known: [DataProtection] { Array(users.values) }

    /// The locks of users who have set a passphrase.
    var all: [DataProtection] { users.values.filter(\.hasPassphrase) }

    /// The users who have set a passphrase.
    var owners: Set<UInt32> { Set(users.filter { $0.value.hasPassphrase }.keys) }

    /// The lock by which new rows of a user are sealed: that of the machine while the user's is being switched off.
    func sealing(_ user: UInt32) -> DataProtection { own(user).flatMap { $0.isEnding ? nil : $0 } ?? machine }

    // Start

    /// Reads the files of all users, before any recording takes effect.
    func load() {
        problem = nil
        do throws(SystemError) {
            for user in try machine.files.users() { try add(user).loadOwn() }
        } catch {
            problem = "the files of keys of users cannot be read: \(error)"
            Log.error("the keys of users cannot be read: \(error)")
        }
    }

    private func add(_ user: UInt32) throws(SystemError) -> DataProtection {
        if let known = users[user] { return known }
        let new = try DataProtection(of: user, beside: machine)
        new.isSuspended = suspended.contains(user)
        users[user] = new
        return new
    }

    /// Applies when data is locked again by itself.
    func apply(_ settings: Settings.Protection) {
        self.settings = settings
        machine.apply(settings)
        for protection in users.values { protection.apply(settings) }
    }

    /// Nobody has used the machine since this instant; nil if somebody does, or it is not known.
    func idlenessChanged(since instant: UInt64?) {
        machine.idlenessChanged(since: instant)
        for protection in users.values { protection.idlenessChanged(since: instant) }
    }

    /// A user's screen was locked, or is to be locked: that locks the machine's data, whoever has it in use, and the
    /// user's own. What is being switched off is not interrupted. Data whose first passphrase is being set is locked
    /// after that.
    func screenLocked(of user: UInt32) {
        guard settings?.locksWithScreen == true else { return }
        for protection in [machine, users[user]] where protection?.isEnding == false { protection?.lock(by: "screen") }
    }

    /// The last login session of a user has ended.
    func sessionsEnded(of user: UInt32) {
        guard settings?.locksAtLogout == true, let own = users[user], !own.isEnding else { return }
        own.lock(by: "logout")
    }

    // Secrets

    /// Sets the first passphrase of a user.
    func setPassphrase(
        _ secret: Secret, of user: UInt32, by caller: String, completion: @escaping DataProtection.Completion
    ) {
        let protection: DataProtection
        do throws(SystemError) { protection = try add(user) } catch {
            return completion(.failure(.unavailable(error.description)))
        }
        protection.setPassphrase(secret, by: caller) { [weak self] result in
            if case .failure = result { self?.forget(user) }
            completion(result)
        }
    }

    /// Forgets a lock without a passphrase.
    func forget(_ user: UInt32) {
        if let protection = users[user], !protection.hasPassphrase, !protection.isOperating,
            protection.pendingErasures.isEmpty
        {
            users[user] = nil
        }
    }

    /// Removes the keys of a user without a secret, and erases what is sealed with them. That it is to be done is durable before
    /// anything is erased, so that nothing is sealed with these keys any more, and whoever repeats it after a crash ends it.
    func reset(
        _ user: UInt32, by caller: String, completion: @escaping @DaemonActor @Sendable (ProtectionFailure?) -> Void
    ) {
        guard let protection = own(user) else { return completion(.noOwnPassphrase) }
        protection.beginEnd(by: caller) { [self] result in
            let file: KeyFile
            switch result {
            case .success(let ending): file = ending
            case .failure(let failure): return completion(failure)
            }
            machine.journal.eraseSealed(with: file.id, of: user) { result in
                DaemonActor.assumeIsolated {
                    if case .failure(let error) = result { return completion(.unavailable(error.description)) }
                    protection.end { [self] error in
                        forget(user)
                        completion(error.map { .unavailable($0.description) })
                    }
                }
            }
        }
    }

    // Accounts

    /// The account of a user was removed or changed: the user's data is closed, and stays so.
    func suspend(_ user: UInt32) {
        suspended.insert(user)
        users[user]?.isSuspended = true
        users[user]?.close(by: "account")
    }

    /// The account of a user is the one to which the data belongs. It stays locked until the user unlocks it.
    func resume(_ user: UInt32) {
        suspended.remove(user)
        users[user]?.isSuspended = false
    }

    /// Removes the keys of a user whose recordings are erased: also those that a first SetPassphrase is storing, and
    /// those of a file that was not read.
    func erase(_ user: UInt32, completion: @escaping @DaemonActor @Sendable (SystemError?) -> Void) {
        let protection: DataProtection
        // While the files of users cannot be read, `own` adds an unusable lock.
        do throws(SystemError) {
            if let own = own(user) { protection = own } else { protection = try add(user) }
        } catch { return completion(error) }
        protection.erase(by: "account") { [weak self] error in
            self?.forget(user)
            // These keys may have been the last ones that needed it.
            if error == nil { self?.machine.forgetFormerSecret() }
            completion(error)
        }
    }
}
