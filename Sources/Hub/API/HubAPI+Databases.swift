import HTTPServing
import Location
import Records

extension HubAPI {
    /// Answers a request about a database of the caller's account.
    func database(
        _ request: ServedRequest, _ database: DatabaseID, _ part: Resource.DatabasePart, _ caller: Caller,
        at now: UTCTime
    ) throws(HubFailure) -> HubAnswer {
        switch part {
        case .changes:
            return try page(request, "token") { (token, limit) throws(EngineFailure) in
                try store.changes(of: database, since: token, limit: limit, by: caller).map(\.json)
            }
        case .zones: return try zones(request, database, caller, at: now)
        case .subscriptions:
            let subscriptions = try granted { () throws(EngineFailure) in
                try store.subscriptions(in: database, by: caller)
            }
            return HubAnswer(HTTPReply(200, json: subscriptions.json))
        case .subscription(let name) where request.method == "DELETE":
            return try subscriptions { () throws(EngineFailure) in
                try store.unsubscribe(name, in: database, by: caller)
            }
        case .subscription(let name):
            let subject = try read { () throws(FormatError) in
                request.body.isEmpty
                    ? .database : try Subscription.Subject(database.container, json: request.body)
            }
            return try subscriptions { () throws(EngineFailure) in
                try store.subscribe(Subscription(name, subject), in: database, by: caller)
            }
        }
    }

    private func subscriptions(
        _ change: () throws(EngineFailure) -> Reply<Refusal?>
    ) throws(HubFailure) -> HubAnswer {
        var pushes: [Push] = []
        var answer = try done { (_) throws(EngineFailure) in
            let reply = try change()
            pushes = reply.pushes
            return reply.answer
        }
        answer.pushes = pushes
        return answer
    }

    private func zones(
        _ request: ServedRequest, _ database: DatabaseID, _ caller: Caller, at now: UTCTime
    ) throws(HubFailure) -> HubAnswer {
        guard let account = caller.account else { throw .refused(.missingToken) }
        guard request.method == "POST" else {
            let zones = try granted { () throws(EngineFailure) in
                try store.sharedZones(in: database.container, by: caller)
            }
            return HubAnswer(HTTPReply(200, json: zones.json))
        }
        return try change(request) { () throws(FormatError) in
            try ModifyZones(database.container, of: account, json: request.body, limits: store.rules.limits)
        } by: { (body, key) throws(EngineFailure) in
            try store.modify(body, by: caller, key: key, at: now)
        }
    }
}
