import HTTPServing
import JSONText
import Location
import Records

/// The interface of the hub: requests in, responses out, over an engine. It has no clock, no socket and no thread, so that it
/// can be tested without a server.
struct HubAPI<Engine: RecordEngine, Signer: TokenSigner> {
    let store: RecordStore<Engine, Signer>
    /// Makes so many random bytes.
    let random: @Sendable (Int) -> [UInt8]

    /// Answers a request. Everything that the answer says is stored, unless the engine gathers transactions: then it is
    /// stored when the group is.
    /// - Parameters:
    ///   - resource: What the address of the request names.
    ///   - known: What was read of the request before.
    func answer(
        _ request: ServedRequest, to resource: Resource?, _ known: PreparedTask? = nil, at now: UTCTime
    ) -> HubAnswer {
        do throws(HubFailure) {
            guard let resource else { throw .refused(.notFound) }
            return try perform(request, resource, known, at: now)
        } catch {
            switch error {
            case .refused(let error): return HubAnswer(error.reply)
            case .engine(let failure): return HubAnswer(failure)
            }
        }
    }

    /// The caller with this `Authorization`; nil for a token of nobody.
    func caller(authorization: String) throws(EngineFailure) -> Caller? {
        guard let token = DeviceToken(authorization: authorization) else { return nil }
        return try caller(token)
    }

    private func caller(_ token: DeviceToken) throws(EngineFailure) -> Caller? { try store.caller(token: token.bytes) }

    private func perform(
        _ request: ServedRequest, _ resource: Resource, _ known: PreparedTask?, at now: UTCTime
    ) throws(HubFailure) -> HubAnswer {
        guard resource.methods.contains(request.method) else { throw .refused(.methodNotAllowed(resource)) }
        var caller = Caller.anonymous
        if let authorization = request.authorization {
            guard let token = known?.token ?? DeviceToken(authorization: authorization),
                let found = try engine({ () throws(EngineFailure) in try self.caller(token) })
            else { throw .refused(.tokenOfNobody) }
            caller = found
        }
        if caller == .anonymous, !resource.isOpenToAnybody(request.method) { throw .refused(.missingToken) }
        if let reply = HubDescription.reply(to: resource, store.rules.limits) { return HubAnswer(reply) }
        switch resource {
        // Answered above.
        case .hub, .description: throw .refused(.notFound)
        case .join: return try join(request, at: now)
        case .device: return try device(request, caller, at: now)
        case .pushes: return try pushes(request, caller)
        case .registration(let container):
            return try done { (store) throws(EngineFailure) in
                request.method == "PUT"
                    ? try store.register(in: container, by: caller) : try store.unregister(from: container, by: caller)
            }
        case .database(let container, let scope, let part):
            guard let account = caller.account else { throw .refused(.missingToken) }
            let database = DatabaseID(container, scope, of: account)
            return try self.database(request, database, part, caller, at: now)
        case .schema(let container): return try schema(request, container, caller)
        case .schemaDifferences(let name): return try schemaDifferences(name, caller)
        case .team(let name, let account): return try team(request, name, account, caller)
        case .zone(let zone, .records) where request.method == "POST":
            return try modify(request, zone, known?.modification, caller, at: now)
        case .zone(let zone, let part): return try self.zone(request, zone, part, caller, at: now)
        }
    }

    /// Runs a function of the store.
    func engine<Value>(_ body: () throws(EngineFailure) -> Value) throws(HubFailure) -> Value {
        do throws(EngineFailure) { return try body() } catch { throw .engine(error) }
    }

    /// Reads the body of a request.
    func read<Value>(_ body: () throws(FormatError) -> Value) throws(HubFailure) -> Value {
        do throws(FormatError) { return try body() } catch { throw .refused(.malformed(error)) }
    }

    /// The value of an answer, or its refusal.
    func granted<Value>(_ body: () throws(EngineFailure) -> Answer<Value>) throws(HubFailure) -> Value {
        switch try engine(body) {
        case .success(let value): return value
        case .failure(let refusal): throw .refused(HubError(refusal))
        }
    }

    /// The response to a request that returns nothing.
    func done(
        _ body: (RecordStore<Engine, Signer>) throws(EngineFailure) -> Refusal?
    ) throws(HubFailure) -> HubAnswer {
        if let refusal = try engine({ () throws(EngineFailure) in try body(store) }) {
            throw .refused(HubError(refusal))
        }
        return HubAnswer(HTTPReply(204))
    }

    /// The idempotency key of a request that changes something.
    func requestKey(_ request: ServedRequest) throws(HubFailure) -> RequestKey {
        guard let key = request.headers["idempotency-key"].flatMap(RequestKey.init) else {
            throw .refused(.needsRequestKey)
        }
        return key
    }

    /// A change token or a cursor in the query.
    func token(_ request: ServedRequest, _ name: String) throws(HubFailure) -> [UInt8]? {
        guard let text = request.argument(name) else { return nil }
        guard let bytes = HexText.bytes(of: text) else {
            throw .refused(.badArgument(name, "what an earlier page has ended with"))
        }
        return bytes
    }

    /// The most records of a page.
    func limit(_ request: ServedRequest) throws(HubFailure) -> Int {
        guard let text = request.argument("limit") else { return .max }
        guard let limit = Int(text), limit > 0 else { throw .refused(.badArgument("limit", "a number of 1 or more")) }
        return limit
    }
}

/// Why a request has no answer of the rules.
enum HubFailure: Error {
    case refused(HubError)
    case engine(EngineFailure)
}
