import Authorization
import Identities
import Interfaces
import Journal
import Varlink

// The identifiers of apps: who has queried which, and operators' resets. The identifiers themselves are never listed.

extension ManageService {
    func listIdentifiers(_ call: MethodCall<ManageInterface.ListIdentifiers>) {
        whenReady(call, for: call.parameters.uid) { (call) throws(ManageInterface.Failure) in
            let request = call.parameters
            let found = self.identities.book.disclosures.filter {
                (request.uid ?? $0.app.uid) == $0.app.uid && (request.app ?? $0.app.name) == $0.app.name
            }
            call.reply(.init(identifiers: found.map(ManageInterface.IdentifierQuery.init)))
        }
    }

    func resetIdentifiers(_ call: MethodCall<ManageInterface.ResetIdentifiers>) {
        let kind = call.parameters.kind.map(\.rawValue).map(IdentifierKey.Kind.init)
        // An unknown kind is no reason to reset all.
        if case .some(nil) = kind { return call.call.fail(ServiceError.invalidParameter("kind")) }
        whenReady(call, for: call.parameters.uid) { (call) throws(ManageInterface.Failure) in
            let uid = call.connection.peer.userID
            self.identities.reset(
                uid: call.parameters.uid, kind: kind ?? nil, by: .operator(uid: uid)
            ) { [call = call.later] result in
                switch result {
                case .success(let count): call.reply(.init(count: Int64(count)))
                case .failure(let error):
                    call.fail(
                        .journalUnavailable(
                            message: "The reset is in effect until the daemon ends, and could not be stored:"
                                + " \(error.description). Repeat it later; see `waymark status`."))
                }
            }
        }
    }
}

extension ManageInterface.IdentifierQuery {
    fileprivate init(_ disclosure: IdentityBook.Disclosure) {
        let vendor = disclosure.key.vendor
        self.init(
            app: disclosure.app.name, uid: disclosure.app.uid, kind: .init(rawValue: disclosure.key.kind.rawValue),
            vendor: vendor?.name, isPersonal: vendor?.installer == .user, first: disclosure.use.first.secondsSinceEpoch,
            last: disclosure.use.last.secondsSinceEpoch)
    }
}
