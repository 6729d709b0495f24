import Authorization
import Platform

// Users whose stored data is not used, because their accounts were removed or changed.

extension Clients {
    /// Why a user's stored data is not used; nil if it is.
    func suspension(of uid: UInt32) -> String? { suspensions[uid] }

    /// Whether the peer's user is an operator whose account was not removed or changed.
    func isOperatorsUser(_ peer: PeerIdentity) -> Bool {
        suspensions[peer.userID] == nil && operators.isOperator(peer)
    }

    /// Suspends a user: the user's processes are neither apps nor operators.
    func suspend(_ uid: UInt32, because why: String) {
        let isNew = suspensions[uid] == nil
        suspensions[uid] = why
        for session in sessions where session.userID == uid { session.suspension = why }
        guard isNew else { return }
        // First, so that the streams end with this reason and not with a consequence of it.
        for process in Array(processes.values) where process.app.id.uid == uid { end(process, complaint: why) }
        authorizer.send(.suspensionChanged(uid, isSuspended: true))
        reviewSessions(of: uid)
    }

    /// Ends the suspension of a user.
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
