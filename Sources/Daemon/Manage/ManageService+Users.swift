import Authorization
import Glibc
import Interfaces
import Journal
import Platform
import Varlink

// The accounts with stored data, and operators' decisions about this data.

extension ManageService {
    func listUsers(_ call: MethodCall<ManageInterface.ListUsers>) {
        whenReady(call) { (call) throws(ManageInterface.Failure) in
            call.reply(.init(users: self.accounts.users.map(self.known)))
        }
    }

    func eraseUser(_ call: MethodCall<ManageInterface.EraseUser>) throws(ManageInterface.Failure) {
        try checkRoot(call.connection.peer)
        let uid = call.parameters.uid
        whenReady(call, for: uid) { (call) throws(ManageInterface.Failure) in
            self.accounts.erase(uid, by: call.connection.peer.userID) { [call = call.later] result in
                switch result {
                case .success: call.reply(EmptyReply())
                case .failure(let refusal): call.fail(.init(refusal, of: uid))
                }
            }
        }
    }

    func restoreUser(_ call: MethodCall<ManageInterface.RestoreUser>) throws(ManageInterface.Failure) {
        try checkRoot(call.connection.peer)
        let uid = call.parameters.uid
        whenReady(call, for: uid) { (call) throws(ManageInterface.Failure) in
            self.accounts.restore(uid, by: call.connection.peer.userID) { [weak self, call = call.later] result in
                switch result {
                case .success: if let self { call.reply(.init(user: known(uid))) }
                case .failure(let refusal): call.fail(.init(refusal, of: uid))
                }
            }
        }
    }

    /// Checks that the caller may decide about stored data. An ordinary operator may be the very account that has the
    /// user id now.
    private func checkRoot(_ peer: PeerIdentity) throws(ManageInterface.Failure) {
        if peer.userID == 0 || peer.userID == geteuid() { return }
        throw .notRoot(message: "Only root and the daemon's own user may erase or restore a user's data.")
    }

    private func known(_ uid: UInt32) -> KnownUser {
        let account = accounts.book[uid]
        let hasAccount = account.map { $0.name != nil } ?? accounts.accounts.hasAccount(uid)
        let state = account?.state ?? .present
        let recordings = accounts.data.recordings(of: uid)
        return KnownUser(
            uid: uid, name: account.map(\.name) ?? accounts.accounts.name(of: uid),
            state: state == .present && !hasAccount ? "noAccount" : state.rawValue, otherName: account?.otherName,
            since: account?.sinceMicroseconds.map { Double($0) / 1_000_000 },
            erasedAfter: accounts.secondsLeft(uid).map(Double.init),
            grants: Int64(authorizer.policy.decidedApps.count { $0.uid == uid }),
            requests: Int64(authorizer.policy.prompts.count { $0.app.uid == uid }), recordings: Int64(recordings.count),
            positions: recordings.reduce(0) { $0 + $1.stored.waiting })
    }
}

extension ManageInterface.Failure {
    fileprivate init(_ refusal: AccountRetention.Refusal, of uid: UInt32) {
        self =
            switch refusal {
            case .unknown: .noSuchUser(uid: uid, message: "No data of uid \(uid) is stored.")
            case .notSuspended:
                .notRestorable(uid: uid, message: "The data of uid \(uid) is in use, or is being erased.")
            case .noAccount:
                .notRestorable(
                    uid: uid,
                    message: "No account has the uid \(uid). Create the account with this uid first.")
            case .notKnown(let why):
                .notRestorable(
                    uid: uid, message: "It is unknown at present whether an account has the uid \(uid): \(why).")
            case .notStored(let error):
                .journalUnavailable(
                    message: "This could not be stored or erased completely: \(error.description). Repeat it when"
                        + " `waymark status` shows that the cause is mended.")
            }
    }
}
