/// Decides what becomes of a request's records together.
struct BatchDecision {
    /// The outcomes, in the order of the request.
    private(set) var outcomes: [RecordOutcome] = []
    /// The rows to store, in the order of their counters.
    private(set) var rows: [RecordRow] = []
    /// The zone's counter after the last row.
    private(set) var counter: UInt64
    /// The schema, with what the saves add to it.
    private(set) var schema: SchemaView

    /// Decides about a request from the rows that are stored.
    init(_ request: ModifyRecords, _ decision: RecordDecision, _ stored: [RecordName: RecordRow], zone: ZoneRow) {
        counter = zone.counter
        schema = decision.schema
        for save in request.saves {
            let tag = ChangeTag(incarnation: zone.incarnation, counter: counter + 1)
            var verdict = decision.decide(save, stored[save.draft.name], tag: tag)
            if verdict.change != nil, let missing = decision.missingAsset(of: save.draft, stored[save.draft.name]) {
                verdict = (.assetNotFound(missing.digest), nil)
            }
            if verdict.change != nil, let violation = schema.admit(save.draft) {
                verdict = (.notInSchema(violation), nil)
            }
            append(verdict, save.draft.name, decision)
        }
        for deletion in request.deletions {
            append(decision.decide(deletion, stored[deletion.name]), deletion.name, decision)
        }
        if request.zone.isAtomic { failTogether(request.names, zone) }
        limitRecords(to: decision.rules.limits.requestBytes)
    }

    private mutating func append(
        _ verdict: RecordDecision.Verdict, _ name: RecordName, _ decision: RecordDecision
    ) {
        outcomes.append(verdict.outcome)
        guard let change = verdict.change else { return }
        counter += 1
        switch change {
        case .save(let record, let previous):
            rows.append(RecordRow(name, counter: counter, .record(record, previous: previous)))
        case .delete(let record):
            let content = RecordRow.Content.deleted(record.type, decision.stamp.time)
            rows.append(RecordRow(name, counter: counter, content, parent: record.parent))
        }
    }

    /// If one record is refused, so are all others, which name it.
    private mutating func failTogether(_ names: [RecordName], _ zone: ZoneRow) {
        guard let first = outcomes.firstIndex(where: { !$0.isDone }) else { return }
        for index in outcomes.indices where outcomes[index].isDone {
            outcomes[index] = .batchRequestFailed(culprit: names[first])
        }
        rows = []
        counter = zone.counter
    }

    /// Omits the records of conflicts beyond so many bytes.
    private mutating func limitRecords(to most: Int) {
        var bytes = 0
        for index in outcomes.indices {
            guard case .conflict(var conflict) = outcomes[index] else { continue }
            bytes += conflict.server?.size ?? 0
            if bytes > most { conflict.server = nil }
            bytes += conflict.ancestor?.size ?? 0
            if bytes > most { conflict.ancestor = nil }
            outcomes[index] = .conflict(conflict)
        }
    }
}
