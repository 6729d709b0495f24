import Authorization
import Glibc
import Interfaces
import JSONText
import Journal
import Varlink

// The accounts of which something is stored, and what becomes of it.

extension ManageService {
    func listUsers(_ call: Call) {
        let users = accounts.users.map(known)
        call.reply { writer in
            writer.array("users") { writer in users.forEach { $0.write(to: &writer) } }
        }
    }

    func eraseUser(_ call: Call, _ request: UserRequest) {
        guard isRoot(call) else { return }
        accounts.erase(request.uid, by: call.connection.peer.userID) { [weak call] result in
            switch result {
            case .success: call?.reply { _ in }
            case .failure(let refusal): call?.fail(refusal, of: request.uid)
            }
        }
    }

    func restoreUser(_ call: Call, _ request: UserRequest) {
        guard isRoot(call) else { return }
        accounts.restore(request.uid, by: call.connection.peer.userID) { [weak self, weak call] result in
            switch result {
            case .success:
                call?.reply { writer in
                    writer.key("user")
                    self?.known(request.uid).write(to: &writer)
                }
            case .failure(let refusal): call?.fail(refusal, of: request.uid)
            }
        }
    }

    /// Whether the caller may decide to whom what is stored belongs: an operator might be who has the number now.
    private func isRoot(_ call: Call) -> Bool {
        let uid = call.connection.peer.userID
        if uid == 0 || uid == geteuid() { return true }
        call.fail(
            ErrorName.notRoot.rawValue,
            message: "Only root and the daemon's own user may erase or restore a user's data.")
        return false
    }

    private func known(_ uid: UInt32) -> KnownUser {
        let account = accounts.book[uid]
        let hasAccount = account.map { $0.name != nil } ?? accounts.accounts.hasAccount(uid)
        let state = account?.state ?? .present
        var user = KnownUser(
            uid: uid, name: account.map(\.name) ?? accounts.accounts.name(of: uid),
            state: state == .present && !hasAccount ? "noAccount" : state.rawValue)
        user.otherName = account?.otherName
        user.since = account?.sinceMicroseconds.map { Double($0) / 1_000_000 }
        user.erasedAfter = accounts.secondsLeft(uid).map(Double.init)
        user.grants = authorizer.policy.grants.count { $0.key.uid == uid && $0.value != Grant() }
        user.requests = authorizer.policy.prompts.count { $0.app.uid == uid }
        for kept in accounts.recordings?.all ?? [] where kept.stored.key.app.uid == uid {
            user.recordings += 1
            user.positions += kept.stored.waiting
        }
        return user
    }
}

extension Call {
    fileprivate func fail(_ refusal: AccountKeeper.Refusal, of uid: UInt32) {
        func fail(_ name: ErrorName, _ message: String) {
            self.fail(name.rawValue, message: message, parameters: [JSON.Member("uid", .integer(Int64(uid)))])
        }
        switch refusal {
        case .unknown: fail(.noSuchUser, "Nothing is stored of uid \(uid).")
        case .notSuspended: fail(.userNotRestorable, "What is stored of uid \(uid) is in use, or is being erased.")
        case .noAccount:
            fail(.userNotRestorable, "No account has the number \(uid): make the account first, with that number.")
        case .notKnown(let why):
            fail(.userNotRestorable, "It is not known now whether an account has the number \(uid): \(why).")
        case .notStored(let error):
            self.fail(
                ErrorName.manageJournalUnavailable.rawValue,
                message: "The journal could not store it: \(error.description). See `waymark status`.")
        }
    }
}
