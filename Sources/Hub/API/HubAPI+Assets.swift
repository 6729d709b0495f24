import Cryptography
import HTTPServing
import JSONText
import Location
import Records

extension HubAPI {
    /// Answers a request about the upload of an asset.
    func upload(
        _ request: ServedRequest, _ digest: [UInt8], _ zone: ZoneID, _ caller: Caller, at now: UTCTime
    ) throws(HubFailure) -> HubAnswer {
        switch request.method {
        case "HEAD":
            let progress = try stored { () throws(EngineFailure) in
                try store.progress(of: digest, to: zone, by: caller)
            }
            return HubAnswer(progress.reply(status: 204))
        case "DELETE":
            let refusal = try engine { () throws(EngineFailure) in
                try store.endUpload(of: digest, to: zone, by: caller)
            }
            if let refusal { throw .refused(refusal.error) }
            return HubAnswer(HTTPReply(204))
        default:
            let offset = try number(request, "upload-offset", "the number of bytes before the part")
            guard request.method == "PUT" || offset != nil else {
                throw .refused(.badArgument("Upload-Offset", "the number of bytes before the part"))
            }
            var size = try number(request, "upload-length", "the size of the whole asset in bytes")
            if request.method == "PUT", size == nil {
                size = try number(request, "content-length", "the size of the asset in bytes")
            }
            let part = AssetPart(
                digest, size: size, offset: request.method == "PUT" ? nil : offset, bytes: request.body, to: zone)
            let progress = try stored { () throws(EngineFailure) in
                try store.append(part, by: caller, hasher: ContentHasher(), at: now)
            }
            return HubAnswer(progress.reply(status: progress.isComplete ? 201 : 204))
        }
    }

    private func stored(
        _ body: () throws(EngineFailure) -> Result<UploadProgress, UploadRefusal>
    ) throws(HubFailure) -> UploadProgress {
        switch try engine(body) {
        case .success(let progress): return progress
        case .failure(let refusal): throw .refused(refusal.error)
        }
    }

    /// A header with a number; nil without it.
    private func number(_ request: ServedRequest, _ name: String, _ meaning: String) throws(HubFailure) -> Int64? {
        guard let text = request.headers[name] else { return nil }
        guard let number = Int64(text), number >= 0 else { throw .refused(.badArgument(name, meaning)) }
        return number
    }

    /// Answers a request for an asset that a record has: with its first part, or one that a range begins with. `Hub` requests
    /// further parts in the same manner, so that the caller's right to read the record is checked for each of them.
    func asset(
        _ request: ServedRequest, _ digest: [UInt8], of name: RecordName, _ zone: ZoneID, _ caller: Caller
    ) throws(HubFailure) -> HubAnswer {
        // The size is necessary to understand a range of the last bytes.
        let asset = try bytes(of: digest, in: name, of: zone, from: 0, most: 0, caller).asset
        let tag = "\"\(HexText.text(digest))\""
        let headers = [
            HTTPReply.Header("ETag", tag), HTTPReply.Header("Accept-Ranges", "bytes"),
            // Others must not get it from a cache on the path, and the caller only as long as it may read the record.
            HTTPReply.Header("Cache-Control", "private, no-cache"),
            HTTPReply.Header("X-Content-Type-Options", "nosniff"),
        ]
        if request.headers["if-none-match"].map({ Self.names(tag, in: $0) }) ?? false {
            var reply = HTTPReply(304)
            reply.headers = headers
            return HubAnswer(reply)
        }
        var range = ByteRange.whole(asset.size)
        var status = 200
        if let header = request.headers["range"], request.headers["if-range"].map({ $0 == tag }) ?? true {
            switch ByteRange.read(header, size: asset.size) {
            case .unsatisfiable:
                var reply = HubError(416, "rangeNotSatisfiable", "The asset has \(asset.size) bytes.").reply
                reply.headers = headers + [HTTPReply.Header("Content-Range", "bytes */\(asset.size)")]
                return HubAnswer(reply)
            case .range(let found): (range, status) = (found, 206)
            case .ignored: break
            }
        }
        var reply = HTTPReply(status, type: "application/octet-stream")
        reply.headers = headers
        if status == 206 { reply.headers.append(HTTPReply.Header("Content-Range", range.header(of: asset.size))) }
        if request.method == "GET", range.count > 0 {
            let most = min(HubLimits.readSize, Int(range.count))
            reply.body = try bytes(of: digest, in: name, of: zone, from: range.first, most: most, caller).bytes
        }
        var answer = HubAnswer(reply)
        answer.range = range
        return answer
    }

    private func bytes(
        of digest: [UInt8], in name: RecordName, of zone: ZoneID, from offset: Int64, most: Int, _ caller: Caller
    ) throws(HubFailure) -> AssetBytes {
        let answer = try engine { () throws(EngineFailure) in
            try store.bytes(of: digest, in: name, of: zone, from: offset, most: most, by: caller)
        }
        switch answer {
        case .success(let bytes): return bytes
        case .failure(.unknownItem):
            throw .refused(
                HubError(
                    404, "unknownItem", "There is no record of this name with this asset that the account may read."))
        case .failure(let refusal): throw .refused(HubError(refusal))
        }
    }

    private static func names(_ tag: String, in header: String) -> Bool {
        header.split(separator: ",").contains { part in
            let text = part.filter { $0 != " " && $0 != "\t" }
            return text == "*" || text == tag || text == "W/" + tag
        }
    }
}

extension UploadProgress {
    /// Where the upload is, and where it ends.
    var headers: [HTTPReply.Header] {
        [
            HTTPReply.Header("Upload-Offset", "\(offset)"), HTTPReply.Header("Upload-Length", "\(size)"),
            HTTPReply.Header("Upload-Complete", isComplete ? "?1" : "?0"),
            HTTPReply.Header("Cache-Control", "no-store"),
        ]
    }

    /// The response that says so.
    func reply(status: Int) -> HTTPReply {
        var reply = HTTPReply(status)
        reply.headers = headers
        return reply
    }
}

/// SHA-256 with a state that is stored with each part.
private struct ContentHasher: AssetHasher {
    func state(after bytes: [UInt8], _ state: [UInt8]) -> [UInt8] {
        var hash = ContentHash(state: state) ?? ContentHash()
        hash.update(bytes)
        return hash.state
    }

    func digest(_ state: [UInt8]) -> [UInt8] { (ContentHash(state: state) ?? ContentHash()).digest }
}
