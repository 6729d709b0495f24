import HTTP
import Platform
import TestSupport
import Upload

extension HTTPClient {
    /// Sends a request and waits for what comes of it.
    func perform(_ request: HTTPRequest, id: UInt64 = 1) async -> HTTPOutcome {
        await withCheckedContinuation { continuation in
            send(id, request) { continuation.resume(returning: $0) }
        }
    }

    /// Posts a body to an address and waits.
    func post(_ url: String, _ body: String = "{}") async -> HTTPOutcome {
        await perform(HTTPRequest(.post, url: url, body: Array(body.utf8)))
    }
}

extension HTTPOutcome {
    /// The answer's body as text; nil where there is none.
    var text: String? {
        guard case .answered(let answer) = self else { return nil }
        return String(decoding: answer.body, as: UTF8.self)
    }

    /// The answer's status; nil where there is none.
    var status: Int? {
        guard case .answered(let answer) = self else { return nil }
        return answer.status
    }
}

/// Whether a condition comes true, while the loop goes on.
@DaemonActor func soon(_ condition: @DaemonActor () async -> Bool) async throws -> Bool {
    try await eventually { await condition() }
}
