import HTTP
import Platform

// Requests of programs that are not stored: without an answer of the hub nothing has happened.

extension Carrier {
    /// Sends a request about sharing, which is not stored.
    func request(
        _ method: HTTPMethod, _ path: String, body: [UInt8] = [],
        completion: @escaping @DaemonActor (HubReply) -> Void
    ) -> Bool {
        guard let client else { return false }
        let key = method == .post ? HubRequest.newKey() : ""
        client.send(HubRequest(method: method, path: path, key: key, body: body)) { [weak self] reply in
            self?.note(reply)
            completion(reply)
        }
        return true
    }

    /// Sends a request about an asset of the public database.
    func exchange(_ request: HubRequest, completion: @escaping @DaemonActor (HTTPOutcome) -> Void) -> Bool {
        guard let client else { return false }
        client.exchange(request) { [weak self] outcome in
            self?.note(HubReply(outcome))
            completion(outcome)
        }
        return true
    }
}
