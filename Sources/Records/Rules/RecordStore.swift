import Location

/// The records of a hub: requests in, answers and pushes out, over an engine that stores them.
///
/// Each function is one transaction: what it answers is committed, and after a failure of the engine nothing is, unless the
/// commit itself failed. A request that changes records or zones has an idempotency key, so that a client without an answer
/// repeats it.
///
/// The module has no clock: the caller passes the time, which is only written into records and compared with ages.
public struct RecordStore<Engine: RecordEngine, Signer: TokenSigner> {
    /// What is configured.
    public var rules: SyncRules
    let engine: Engine
    /// Signs the change tokens.
    public let signer: Signer

    /// A store over an engine, whose tokens a signer signs.
    public init(_ engine: Engine, _ signer: Signer, rules: SyncRules = SyncRules()) {
        self.engine = engine
        self.signer = signer
        self.rules = rules
    }

    /// Performs a request once. If the device has sent it before, the answer is that of the first time, without records.
    ///
    /// The answer is stored in the same transaction as the changes, also if it is a refusal: a copy of the request that
    /// arrives late must not do what its sender believes to be refused. No record is stored with it: that would outlast the
    /// record's deletion, and the caller's right to read it.
    func once<Answer: StorableAnswer>(
        _ key: AnswerRow.Key, _ request: [UInt8], at now: UTCTime,
        reading ahead: @autoclosure () -> ReadAhead = ReadAhead(),
        _ body: (inout Engine.Transaction) throws(EngineFailure) -> (answer: Answer, pushes: [Push])
    ) throws(EngineFailure) -> Reply<Answer> {
        let digest = signer.digest(of: request)
        return try engine.write(reading: ahead()) { (transaction) throws(EngineFailure) in
            try transaction.lock(.answer(key))
            if let stored = try transaction.answer(to: key) {
                guard stored.digest == digest else { return Reply(Answer.refused(.requestKeyReused)) }
                return Reply(try Answer(reading: stored), isRepeated: true)
            }
            let (answer, pushes) = try body(&transaction)
            let stored = answer.withoutRecords
            let json = stored.json
            try transaction.put(AnswerRow(digest: digest, answer: json, now), to: key)
            var reply = Reply(answer, pushes: pushes)
            if stored == answer { reply.json = json }
            return reply
        }
    }
}

/// An answer that is stored for repetitions.
protocol StorableAnswer: Equatable, Sendable {
    /// A refusal of the whole request.
    static func refused(_ refusal: Refusal) -> Self
    /// The answer as it is stored and repeated: without the content of any record.
    var withoutRecords: Self { get }
    /// The answer as JSON.
    var json: [UInt8] { get }
    /// Reads the answer that was stored.
    init(json: [UInt8]) throws(FormatError)
}

extension StorableAnswer {
    var withoutRecords: Self { self }

    fileprivate init(reading row: AnswerRow) throws(EngineFailure) {
        do throws(FormatError) {
            try self.init(json: row.answer)
        } catch {
            throw EngineFailure("read the stored answer to a request", reason: "\(error)")
        }
    }
}
