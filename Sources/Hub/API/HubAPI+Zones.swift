import HTTPServing
import Location
import Records

extension HubAPI {
    /// Answers a request about a zone.
    func zone(
        _ request: ServedRequest, _ zone: ZoneID, _ part: Resource.ZonePart, _ caller: Caller, at now: UTCTime
    ) throws(HubFailure) -> HubAnswer {
        switch part {
        case .changes:
            return try page(request, "token") { (token, limit) throws(EngineFailure) in
                try store.writtenChanges(of: zone, since: token, limit: limit, by: caller).map(\.json)
            }
        case .records: return try records(request, zone, caller)
        case .record(let name) where request.method == "GET": return try record(request, name, zone, caller)
        case .record(let name): return try modify(request, name, zone, caller, at: now)
        case .query: return try find(request, zone, caller)
        case .upload(let digest): return try upload(request, digest, zone, caller, at: now)
        case .asset(let digest, let name): return try asset(request, digest, of: name, zone, caller)
        case .participants where request.method == "GET":
            let participants = try granted { () throws(EngineFailure) in try store.participants(of: zone, by: caller) }
            return HubAnswer(HTTPReply(200, json: participants.json))
        case .participants:
            return try change(request) { () throws(FormatError) in
                try ModifySharing(zone, json: request.body, limits: store.rules.limits)
            } by: { (body, key) throws(EngineFailure) in
                try store.modify(body, by: caller, key: key, at: now)
            }
        }
    }

    /// Saves and deletes records.
    func modify(
        _ request: ServedRequest, _ zone: ZoneID, _ known: Result<ModifyRecords, FormatError>?, _ caller: Caller,
        at now: UTCTime
    ) throws(HubFailure) -> HubAnswer {
        var event: ContainerEvent?
        var answer = try change(request) { () throws(FormatError) in
            if let known { return try known.get() }
            return try ModifyRecords(zone, json: request.body, limits: store.rules.limits)
        } by: { (body, key) throws(EngineFailure) in
            let reply = try store.modify(body, by: caller, key: key, at: now)
            if !reply.isRepeated, case .outcomes(let outcomes) = reply.answer {
                event = refusedSave(outcomes, in: zone.container, by: caller)
            }
            return reply
        }
        answer.containerEvent = event
        return answer
    }

    private func records(_ request: ServedRequest, _ zone: ZoneID, _ caller: Caller) throws(HubFailure) -> HubAnswer {
        var names: [RecordName] = []
        for (key, value) in request.query where key == "name" {
            guard let name = RecordName(value) else { throw .refused(.badArgument("name", "the name of a record")) }
            names.append(name)
        }
        guard !names.isEmpty else {
            throw .refused(.badArgument("name", "given once for each record. POST to query instead finds records"))
        }
        let records = try granted { () throws(EngineFailure) in try store.records(names, in: zone, by: caller) }
        return HubAnswer(HTTPReply(200, json: records.json))
    }

    private func find(_ request: ServedRequest, _ zone: ZoneID, _ caller: Caller) throws(HubFailure) -> HubAnswer {
        let query = try read { () throws(FormatError) in try Query(json: request.body) }
        return try page(request, "cursor") { (cursor, limit) throws(EngineFailure) in
            try store.find(query, in: zone, after: cursor, limit: limit, by: caller).map(\.json)
        }
    }

    // One record, as the web has it: its change tag is its ETag.

    private func record(
        _ request: ServedRequest, _ name: RecordName, _ zone: ZoneID, _ caller: Caller
    ) throws(HubFailure) -> HubAnswer {
        let records = try granted { () throws(EngineFailure) in try store.records([name], in: zone, by: caller) }
        guard let record = records.first else {
            throw .refused(HubError(404, "unknownItem", "There is no record of this name that the account may read."))
        }
        let tag = EntityTag(record.changeTag)
        var reply =
            tag.isListed(in: request.headers["if-none-match"]) ? HTTPReply(304) : HTTPReply(200, json: record.json)
        reply.headers = [tag.header]
        return HubAnswer(reply)
    }

    private func modify(
        _ request: ServedRequest, _ name: RecordName, _ zone: ZoneID, _ caller: Caller, at now: UTCTime
    ) throws(HubFailure) -> HubAnswer {
        let key = try requestKey(request)
        let condition = try condition(request)
        var body = ModifyRecords(zone)
        if request.method == "DELETE" {
            body.deletions = [ModifyRecords.Deletion(name, changeTag: condition.tag)]
        } else {
            var draft = try read { () throws(FormatError) in
                try RecordDraft(name, json: request.body, limits: store.rules.limits)
            }
            draft.changeTag = condition.tag
            let policy: SavePolicy =
                condition != .none ? .ifServerRecordUnchanged : request.method == "PUT" ? .allKeys : .changedKeys
            body.saves = [ModifyRecords.Save(draft, policy)]
        }
        let reply = try engine { () throws(EngineFailure) in try store.modify(body, by: caller, key: key, at: now) }
        var answer = try modified(reply)
        if !reply.isRepeated, case .outcomes(let outcomes) = reply.answer {
            answer.containerEvent = refusedSave(outcomes, in: zone.container, by: caller)
        }
        guard case .outcomes(let outcomes) = reply.answer, let outcome = outcomes.first else { return answer }
        answer.reply.body = outcome.json
        answer.reply.status = outcome.status
        switch outcome {
        case .saved(let saved): answer.reply.headers.append(EntityTag(saved.changeTag).header)
        case .conflict(let conflict): answer.reply.headers.append(EntityTag(conflict.serverChangeTag).header)
        // With a sentence for a person, who can deploy a schema.
        case .notInSchema(let violation):
            let isFrozen = answer.containerEvent != nil
            answer.reply.body =
                isFrozen
                ? HubError.frozen(violation, in: zone.container.name).body : HubError(.notInSchema(violation)).body
        case .assetNotFound(let digest): answer.reply.body = HubError.assetNotFound(digest).body
        default: break
        }
        return answer
    }

    /// What a request about one record expects the record to be.
    private enum Condition: Equatable {
        case none, missing
        case unchanged(ChangeTag)

        var tag: ChangeTag? { if case .unchanged(let tag) = self { tag } else { nil } }
    }

    private func condition(_ request: ServedRequest) throws(HubFailure) -> Condition {
        let match = request.headers["if-match"]
        let noneMatch = request.headers["if-none-match"]
        guard match == nil || noneMatch == nil else {
            throw .refused(.badArgument("If-Match", "given without If-None-Match"))
        }
        if let noneMatch {
            guard noneMatch == "*", request.method != "DELETE" else {
                throw .refused(.badArgument("If-None-Match", "*, which makes a record only if there is none"))
            }
            return .missing
        }
        guard let match else { return .none }
        guard let tag = EntityTag(header: match) else {
            throw .refused(.badArgument("If-Match", "one ETag that the hub has sent"))
        }
        guard request.method != "PUT" else {
            throw .refused(
                HubError(
                    400, "malformed",
                    "PUT replaces the whole record, whatever it is. PATCH with If-Match changes it only if it is unchanged."
                ))
        }
        return .unchanged(tag.tag)
    }
}
