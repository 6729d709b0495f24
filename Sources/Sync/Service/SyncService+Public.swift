import HTTP
import JSONText
import Platform
import Records
import SyncInterface
import Varlink

/// The public database of a container. Its records are at the hub only, so that each call is a request to the hub.
extension SyncService {
    func getPublicRecords(_ call: MethodCall<SyncInterface.GetPublicRecords>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        guard parameters.names.count <= Limits().records else {
            throw .limitExceeded(
                limit: Limits.Subject.records.rawValue, most: Int64(Limits().records), message: "Ask for less at once.")
        }
        let names = try parameters.names.map { (text) throws(Failure) in
            try Self.name(text, "names", RecordName.init, "a record")
        }
        let zone = ZoneID(container, owner: nil, .defaultZone)
        try getPublic(HubAddress.records(zone, named: Set(names).sorted())[...], found: [], call.later)
    }

    /// Gets records with one request after the other, because an address has a limited length.
    private func getPublic(
        _ addresses: ArraySlice<String>, found: [JSON], _ call: LateCall<SyncInterface.GetPublicRecords>
    ) throws(Failure) {
        guard let address = addresses.first else { return call.reply(.init(records: found)) }
        try send(.get, address) { [weak self] reply in
            do throws(Failure) {
                let page = try Self.page(reply)
                try self?.getPublic(addresses.dropFirst(), found: found + page.records, call)
            } catch { call.fail(error) }
        }
    }

    func queryPublicRecords(_ call: MethodCall<SyncInterface.QueryPublicRecords>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        let limit = try Self.limit(parameters.limit)
        let query: Query
        do throws(FormatError) { query = try Query(json: parameters.query.bytes) } catch {
            throw .invalidArgument(argument: "query", message: "It is no query: \(error).")
        }
        let cursor = try parameters.cursor.map { (text) throws(Failure) in
            guard let bytes = HexText.bytes(of: text), bytes.count <= 4_096 else {
                throw .invalidArgument(argument: "cursor", message: "It is the `cursor` of another page of this query.")
            }
            return bytes
        }
        let zone = ZoneID(container, owner: nil, .defaultZone)
        try send(.post, HubAddress.query(zone, after: cursor, limit: limit), body: query.json) {
            [call = call.later] reply in
            call.answer { () throws(Failure) in
                let page = try Self.page(reply)
                return .init(records: page.records, cursor: page.cursor)
            }
        }
    }

    func modifyPublicRecords(_ call: MethodCall<SyncInterface.ModifyPublicRecords>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        let zone = ZoneID(container, owner: nil, .defaultZone)
        let request: ModifyRecords
        do throws(FormatError) { request = try ModifyRecords(zone, json: parameters.request.bytes) } catch {
            throw .invalidArgument(argument: "request", message: "It is no request to modify records: \(error).")
        }
        try requireNothingEncrypted(request)
        try send(.post, HubAddress.records(zone), body: request.json) { [call = call.later] reply in
            call.answer { () throws(Failure) in
                let answer = try Self.require(reply) { (body) throws(FormatError) in try ModifyRecordsAnswer(json: body)
                }
                guard case .outcomes(let outcomes) = answer, outcomes.count == request.names.count else {
                    throw Self.strange
                }
                return .init(outcomes: outcomes.map { Self.json(String(decoding: $0.json, as: UTF8.self)) })
            }
        }
    }

    /// The records in a hub's answer, and where it continues.
    private static func page(_ reply: HubReply) throws(Failure) -> (records: [JSON], cursor: String?) {
        let page = try require(reply) { (body) throws(FormatError) in try QueryPage(json: body) }
        return (
            page.records.map { json(String(decoding: $0.json, as: UTF8.self)) }, page.cursor.map { HexText.text($0) }
        )
    }
}
