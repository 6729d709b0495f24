import Platform

/// A page that is requested while the one before it is stored, so that the hub and this machine work at the same time.
@DaemonActor
final class RequestAhead {
    private var sent: Sent?

    private struct Sent {
        let request: HubRequest
        let id: UInt64
        /// The answer, once it is there.
        var reply: HubReply?
        /// Receives an answer that was needed before it was there.
        var completion: (@DaemonActor (HubReply) -> Void)?
    }

    /// Sends a request whose answer is needed next, unless one was sent ahead already.
    func send(_ request: HubRequest, by client: HubClient) {
        guard sent == nil else { return }
        let id = client.send(request) { [weak self] reply in
            guard let self, sent?.request == request else { return }
            guard let completion = sent?.completion else {
                sent?.reply = reply
                return
            }
            sent = nil
            completion(reply)
        }
        sent = Sent(request: request, id: id)
    }

    /// Sends a request, or uses the answer of the same one that was sent ahead.
    func exchange(
        _ request: HubRequest, by client: HubClient, _ completion: @escaping @DaemonActor (HubReply) -> Void
    ) {
        guard let ahead = sent, ahead.request == request else {
            // Something else has to be done first, after which the page may be another one.
            if let sent { client.cancel(sent.id) }
            sent = nil
            client.send(request, completion: completion)
            return
        }
        guard let reply = ahead.reply else {
            sent?.completion = completion
            return
        }
        sent = nil
        completion(reply)
    }

    /// Forgets the request, whose client was closed.
    func forget() { sent = nil }
}
