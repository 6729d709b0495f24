import HTTPServing
import Records

/// The answer to a request that changes something.
protocol ModifyAnswer: Equatable, Sendable {
    /// Why nothing was changed; nil if the request was performed.
    var refusal: Refusal? { get }
    /// The answer as JSON.
    var json: [UInt8] { get }
}

extension ModifyZonesAnswer: ModifyAnswer {
    var refusal: Refusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}

extension ModifySharingAnswer: ModifyAnswer {
    var refusal: Refusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}

extension ModifyRecordsAnswer: ModifyAnswer {
    var refusal: Refusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}

extension HubAPI {
    /// Answers a request that changes something: reads its idempotency key and its body, and performs it.
    func change<Body>(
        _ request: ServedRequest, reading body: () throws(FormatError) -> Body,
        by perform: (Body, RequestKey) throws(EngineFailure) -> Reply<some ModifyAnswer>
    ) throws(HubFailure) -> HubAnswer {
        let key = try requestKey(request)
        let body = try read(body)
        return try modified(try engine { () throws(EngineFailure) in try perform(body, key) })
    }

    /// The response to a request that has changed something.
    func modified(_ reply: Reply<some ModifyAnswer>) throws(HubFailure) -> HubAnswer {
        if let refusal = reply.answer.refusal { throw .refused(HubError(refusal)) }
        var answer = HubAnswer(HTTPReply(200, json: reply.json ?? reply.answer.json))
        if reply.isRepeated { answer.reply.headers.append(HTTPReply.Header("Idempotency-Replayed", "true")) }
        answer.pushes = reply.pushes
        return answer
    }

    /// Answers a request for a page, which continues after the argument of this name.
    func page(
        _ request: ServedRequest, _ name: String,
        _ read: ([UInt8]?, Int) throws(EngineFailure) -> Answer<[UInt8]>
    ) throws(HubFailure) -> HubAnswer {
        let token = try token(request, name)
        let limit = try limit(request)
        let json = try granted { () throws(EngineFailure) in try read(token, limit) }
        return HubAnswer(HTTPReply(200, json: json))
    }
}
