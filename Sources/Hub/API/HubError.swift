import HTTPServing
import JSONText
import Records

/// The refusal of a request: a status, a word for programs and a sentence for people.
struct HubError: Error {
    var status: Int
    /// The body, JSON with `error` and `message`.
    var body: [UInt8]
    var headers: [HTTPReply.Header] = []
    var retryAfter: Int?

    init(_ status: Int, _ error: String, _ message: String) {
        self.status = status
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("error", error)
            writer.member("message", message)
        }
        body = writer.bytes
    }

    /// The response.
    var reply: HTTPReply {
        var reply = HTTPReply(status, json: body)
        reply.headers = headers
        reply.retryAfter = retryAfter
        return reply
    }
}

extension HubError {
    static let notFound = HubError(
        404, "notFound", "There is nothing at this address. GET /v1/openapi.json describes all addresses.")

    static func methodNotAllowed(_ resource: Resource) -> HubError {
        let methods = resource.methods.joined(separator: ", ")
        var error = HubError(405, "methodNotAllowed", "This address has the methods \(methods) only.")
        error.headers = [HTTPReply.Header("Allow", methods)]
        return error
    }

    /// A request without a token, or with one of nobody.
    static func notAuthenticated(_ message: String) -> HubError {
        var error = HubError(401, "notAuthenticated", message)
        error.headers = [HTTPReply.Header("WWW-Authenticate", "Bearer")]
        return error
    }

    static let tokenOfNobody = notAuthenticated(
        "The token belongs to no device. The device may have been removed: invite it again with waymark-hub invite.")

    static let missingToken = notAuthenticated(
        "This request needs the token of a device, as `Authorization: Bearer TOKEN`.")

    static func malformed(_ error: FormatError) -> HubError {
        if case .tooLarge(let subject) = error.problem {
            return HubError(
                413, "limitExceeded", "The request exceeds the limit \(subject.rawValue). Send less at once.")
        }
        return HubError(400, "malformed", "The body was not understood: \(error).")
    }

    static func badArgument(_ name: String, _ expected: String) -> HubError {
        HubError(400, "malformed", "\(name) has to be \(expected).")
    }

    static let needsRequestKey = HubError(
        400, "needsIdempotencyKey",
        "A request that changes something needs the header Idempotency-Key with 1 to 255 visible ASCII characters that this"
            + " device has not used for another request. A request without an answer is sent again with the same key.")

    static func unavailable(_ failure: EngineFailure) -> HubError {
        var error = HubError(
            503, "temporarilyUnavailable",
            "The hub cannot store or read records at present; its log has the reason. Repeat the request later.")
        error.retryAfter = 5
        return error
    }

    /// A save that would change the schema of development, and may not.
    static func frozen(_ violation: SchemaViolation, in name: ContainerName) -> HubError {
        var error = HubError(422, "", "")
        error.body = Refusal.notInSchema(violation).json(
            message:
                "The schema of development has not what this record needs, and only members of the team of \(name) with"
                + " the right editDevelopment add to it. One of them saves such a record, or a member with the right"
                + " manageTeam gives the right.")
        return error
    }

    static func assetNotFound(_ digest: [UInt8]) -> HubError {
        var error = HubError(422, "", "")
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("error", "assetNotFound")
            writer.member("digest", HexText.text(digest))
            writer.member(
                "message",
                "The account has not uploaded this asset to this zone, or has not finished. Upload it, then save the record."
            )
        }
        error.body = writer.bytes
        return error
    }

    init(_ refusal: Refusal) {
        self.init(refusal.status, "", "")
        body = refusal.json(message: refusal.message)
        if status == 401 { headers = [HTTPReply.Header("WWW-Authenticate", "Bearer")] }
    }
}

extension Refusal {
    /// The status of the response.
    var status: Int {
        switch self {
        case .limitExceeded: 413
        case .invalidRequest: 400
        case .notAuthenticated: 401
        case .notPermitted: 403
        case .zoneNotFound(.purged): 410
        case .zoneNotFound, .unknownItem: 404
        case .changeTokenExpired: 410
        case .notInSchema, .requestKeyReused: 422
        }
    }

    /// The refusal for a person.
    var message: String {
        switch self {
        case .limitExceeded(.sortedRecords, let most):
            "More than \(most) records would have to be sorted. Add a condition that fewer records fulfil and that an index"
                + " finds, or sort by one field that is sortable."
        case .limitExceeded(.hierarchy, let most):
            "More than \(most) records are below those that are shared with the account. Share the zone instead."
        case .limitExceeded(.assetBytes, let most): "An asset has at most \(most) bytes. Store less in one asset."
        case .limitExceeded(.uploads, let most), .limitExceeded(.uploadBytes, let most):
            "The account has uploaded assets that no record has: at most \(most) of them, or bytes, are permitted. Save records"
                + " with them, or end uploads with DELETE."
        case .limitExceeded(let subject, let most):
            "The request exceeds the limit \(subject.rawValue) of \(most). Send less at once."
        case .invalidRequest(.namedTwice): "A record or zone is named twice. Name each once."
        case .invalidRequest(.defaultZone):
            "The default zone cannot be made, deleted or shared. Make a zone of your own."
        case .invalidRequest(.publicDatabase):
            "The public database has the default zone only, and no changes to fetch. Query it, or fetch records by name."
        case .invalidRequest(.ownZone): "A zone cannot be shared with its owner."
        case .invalidRequest(.notSealed):
            "The value of an encrypted field is sealed on a machine before it is sent, and never saved in the public database."
        case .invalidRequest(.alertArguments):
            "An alert of the public database has no arguments, because machines have no copy of its records. Write a text without."
        case .notAuthenticated: "This request needs the token of a device of an account."
        case .notPermitted: "The account may not do this here."
        case .zoneNotFound(.purged): "The person has deleted this zone. Remove the copy, and do not send it again."
        case .zoneNotFound: "There is no such zone. Make it first."
        case .unknownItem: "There is no such record. Save it before it is shared."
        case .changeTokenExpired:
            "The change token cannot be continued. Fetch without a token, and send what was not sent yet."
        case .notInSchema(let violation): violation.message
        case .requestKeyReused:
            "The Idempotency-Key belongs to another request of this device. Use a new key for each request."
        }
    }
}

extension RecordOutcome {
    /// The status of the response to a request about one record.
    var status: Int {
        switch self {
        case .saved(let saved): saved.created == saved.modified ? 201 : 200
        case .deleted: 200
        case .conflict: 412
        case .unknownItem: 404
        case .typeDiffers, .batchRequestFailed: 409
        case .limitExceeded: 413
        case .notInSchema: 422
        case .notPermitted: 403
        case .assetNotFound: 422
        }
    }
}

extension UploadRefusal {
    /// The refusal as the answer to a request.
    var error: HubError {
        switch self {
        case .refused(let refusal): return HubError(refusal)
        case .unknown:
            return HubError(404, "uploadNotFound", "The account has uploaded nothing of this asset to this zone.")
        case .needsSize:
            return HubError(
                400, "malformed",
                "The first part of an asset needs its size in bytes: as Upload-Length, or with PUT as Content-Length.")
        case .sizeDiffers(let size):
            return HubError(409, "uploadSizeDiffers", "An earlier part has said that the asset has \(size) bytes.")
        case .tooLong(let size):
            return HubError(400, "malformed", "The part ends after the asset, which has \(size) bytes.")
        case .digestDiffers:
            return HubError(
                422, "digestDiffers",
                "The bytes have another SHA-256 digest than the one in the address. Upload the asset again.")
        case .offsetDiffers(let progress):
            var error = HubError(
                409, "uploadOffsetDiffers",
                "\(progress.offset) bytes of the asset are stored. Continue there, with Upload-Offset.")
            error.headers = progress.headers
            return error
        }
    }
}

extension SchemaViolation {
    /// The violation for a person, with the next step.
    fileprivate var message: String {
        switch self {
        case .unknownType(let type):
            "The schema has no type \(type). Save a record of it in development, and deploy the schema."
        case .unknownField(let type, let field):
            "The type \(type) has no field \(field). Save a record with it in development, and deploy the schema."
        case .otherShape(let type, let field, let shape) where shape.isEncrypted:
            "The field \(type).\(field) is encrypted (\(shape)): it has sealed values only, which no query can compare."
        case .otherShape(let type, let field, let shape):
            "The field \(type).\(field) has values of the kind \(shape) only."
        case .indexMissing(let type, let field, let index):
            "The field \(type).\(field) is not \(index.rawValue). Add the index to the schema of development with"
                + " `waymark-hub schema import`, and deploy the schema."
        case .notSearchable(let type):
            "The type \(type) has no field that is searchable. Add the index to a field of it in the schema of development"
                + " with `waymark-hub schema import`, and deploy the schema."
        }
    }
}
