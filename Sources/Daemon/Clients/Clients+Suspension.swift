import Authorization
import Platform

// Users of whom nothing that is stored is used, as their accounts were removed or changed.

extension Clients {
    /// Why nothing that is stored of a user is used; nil where it is.
    func suspension(of uid: UInt32) -> String? { suspensions[uid] }

    /// Whether the user at the other end is an operator, and not one whose account was removed or changed.
    func isOperatorsUser(_ peer: PeerIdentity) -> Bool {
        suspensions[peer.userID] == nil && operators.isOperator(peer)
    }

    /// Stops using what is stored of a user: the user's processes are of no app, and no operator's.
    func suspend(_ uid: UInt32, because why: String) {
        let isNew = suspensions[uid] == nil
        suspensions[uid] = why
        for session in sessions where session.userID == uid { session.suspension = why }
        guard isNew else { return }
        // First, so that the streams end with the reason and not with what follows from it.
        for process in Array(processes.values) where process.app.id.uid == uid { end(process, complaint: why) }
        authorizer.send(.suspensionChanged(uid, isSuspended: true))
        reviewSessions(of: uid)
    }

    /// Resumes using what is stored of a user.
    func resume(_ uid: UInt32) {
        guard suspensions.removeValue(forKey: uid) != nil else { return }
        authorizer.send(.suspensionChanged(uid, isSuspended: false))
        reviewSessions(of: uid)
    }

    private func reviewSessions(of uid: UInt32) {
        suspensionChanges += 1
        for session in sessions where session.userID == uid {
            guard let peer = session.connection?.peer else { continue }
            session.isOperatorsUser = isOperatorsUser(peer)
            session.suspension = suspensions[uid]
            if suspensions[uid] != nil, session.process == nil { session.standsForUser = false }
            changes.report(.identityChanged(session))
        }
        changes.report(.everythingChanged)
    }
}
