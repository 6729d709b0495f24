import Events
import Journal
import Storage

// What is said about accounts, in events and to their processes.

extension AccountRetention {
    /// Why an operator's command for a user id is refused.
    enum Refusal: Error {
        case unknown
        /// The stored data is in use already.
        case notSuspended
        /// No account has the user id to which the data could belong.
        case noAccount
        /// It is unknown whether an account has the user id.
        case notKnown(String)
        case notStored(StorageError)
    }

    func event(_ kind: EventKind, _ uid: UInt32, _ account: StoredAccount) -> Event {
        var details: EventDetails = ["reason": .text(account.state.rawValue)]
        if let name = account.name { details.append("name", .text(name)) }
        if let other = account.otherName { details.append("otherName", .text(other)) }
        return Event(kind, uid: uid, details: details)
    }

    /// The reason for refusals that a process of a suspended user receives.
    func complaint(of uid: UInt32) -> String {
        let owner = book[uid]?.name.map { "the account \($0) with uid \(uid)" } ?? "uid \(uid), which had no account,"
        let what =
            switch book[uid]?.state {
            case .renamed, .replaced: "\(owner) is \(book[uid]?.otherName ?? "another account") now"
            case .returned: "\(owner) was created again"
            default: "\(owner) was removed"
            }
        return "\(what), so its earlier permissions and recordings are suspended. An operator decides: waymark users"
    }
}
