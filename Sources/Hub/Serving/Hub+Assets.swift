import HTTPServing
import Platform
import Records

/// Uploads and downloads of assets, part by part.
extension Hub {
    /// Decides about an upload before its body is received: whether the part begins where the last one ended.
    func beginUpload(_ exchange: Exchange) {
        var request = exchange.request
        request.body = []
        queue.submit(.request(request, exchange.resource)) { [weak self, weak exchange] result in
            guard let self, let exchange, case .answer(let answer) = result else { return }
            guard answer.reply.status < 300, let progress = answer.reply.progress, !progress.isComplete else {
                return refuse(exchange, answer.reply)
            }
            (exchange.context as? Admission)?.progress = progress
            exchange.admit(bodyUpTo: Int(progress.size - progress.offset), inPartsOf: HubLimits.partSize)
        }
    }

    /// Stores a part of the body of an upload. The sender continues when it is stored.
    func receivePart(_ exchange: Exchange) {
        guard let admission = exchange.context as? Admission, let progress = admission.progress else {
            return exchange.reply(nil)
        }
        storePart(of: exchange, progress) { [weak self, weak exchange] answer in
            guard let exchange else { return }
            if answer.reply.status < 300 { return exchange.acceptPart() }
            self?.statistics.count(answer.reply.status)
            exchange.refusePart(answer.reply)
        }
    }

    func storePart(
        of exchange: Exchange, _ progress: UploadProgress, _ completion: @escaping @DaemonActor (HubAnswer) -> Void
    ) {
        var request = exchange.request
        request.method = "PATCH"
        request.headers["upload-offset"] = "\(progress.offset)"
        request.headers["upload-length"] = "\(progress.size)"
        let end = progress.offset + Int64(request.body.count)
        queue.submit(.request(request, exchange.resource)) { [weak exchange] result in
            guard case .answer(var answer) = result else { return }
            // A part that was stored although its commit has failed is performed once more.
            if answer.reply.status == 409, let found = answer.reply.progress, found.offset == end {
                answer.reply = HTTPReply(found.isComplete ? 201 : 204)
                answer.reply.headers = found.headers
            }
            if answer.reply.status < 300, let admission = exchange?.context as? Admission {
                admission.progress = answer.reply.progress
            }
            completion(answer)
        }
    }

    /// Sends an asset, part by part: the next one is read when the last one was sent.
    func send(_ reply: HTTPReply, _ range: ByteRange, of exchange: Exchange) {
        statistics.count(reply.status)
        guard exchange.request.method == "GET", range.count > Int64(reply.body.count) else {
            guard exchange.request.method == "HEAD" else { return exchange.reply(reply) }
            return exchange.reply(reply, length: Int(range.count)) { _ in }
        }
        var first: [UInt8]? = reply.body
        exchange.reply(reply, length: Int(range.count)) { [weak self, weak exchange] offset in
            guard let exchange else { return }
            if let bytes = first {
                first = nil
                return DaemonActor.post { exchange.provide(bytes) }
            }
            self?.readPart(from: range.first + Int64(offset), to: range.first + range.count, of: exchange)
        }
    }

    private func readPart(from offset: Int64, to end: Int64, of exchange: Exchange) {
        var request = exchange.request
        request.headers["range"] = "bytes=\(offset)-\(end - 1)"
        request.headers["if-range"] = nil
        request.headers["if-none-match"] = nil
        queue.submit(.request(request, exchange.resource)) { [weak exchange] result in
            guard case .answer(let answer) = result else { return }
            // Without bytes the connection is closed, because the status cannot be changed any more.
            exchange?.provide(answer.reply.status == 206 ? answer.reply.body : [])
        }
    }
}

extension HTTPReply {
    /// How far an upload has come, as the headers say.
    fileprivate var progress: UploadProgress? {
        func value(_ name: String) -> String? { headers.first { $0.name == name }?.value }
        guard let offset = value("Upload-Offset").flatMap({ Int64($0) }),
            let size = value("Upload-Length").flatMap({ Int64($0) })
        else { return nil }
        return UploadProgress(offset: offset, size: size, isComplete: value("Upload-Complete") == "?1")
    }
}
