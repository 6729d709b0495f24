import HTTP
import Platform
import TestSupport
import Upload

extension HTTPClient {
    /// Sends a request and waits for its outcome.
    func perform(_ request: HTTPRequest, id: UInt64 = 1) async -> HTTPOutcome {
        await withCheckedContinuation { continuation in
            send(id, request) { continuation.resume(returning: $0) }
        }
    }

    /// Posts a body to a URL and waits for its outcome.
    func post(_ url: String, _ body: String = "{}") async -> HTTPOutcome {
        await perform(HTTPRequest(.post, url: url, body: Array(body.utf8)))
    }
}

extension HTTPOutcome {
    /// The response's body as text; nil without a response.
    var text: String? {
        guard case .answered(let answer) = self else { return nil }
        return String(decoding: answer.body, as: UTF8.self)
    }

    /// The response's status; nil without a response.
    var status: Int? {
        guard case .answered(let answer) = self else { return nil }
        return answer.status
    }
}

/// Whether a condition becomes true while the loop runs.
@DaemonActor func soon(_ condition: @DaemonActor () async -> Bool) async throws -> Bool {
    try await eventually { await condition() }
}
