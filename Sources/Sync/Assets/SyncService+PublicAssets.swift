import HTTP
import JSONText
import Platform
import Records
import SyncInterface
import Upload
import Varlink

/// The bytes of assets of the public database. They are at the hub only, which decides who may write and read them, so that each call is
/// a request to it.
extension SyncService {
    func addPublicAsset(_ call: MethodCall<SyncInterface.AddPublicAsset>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        let asset = try Self.asset(parameters.digest, parameters.size)
        try Self.requireOffset(parameters.offset)
        let bytes = try Self.part(parameters.bytes)
        // A part at the end without bytes begins no upload, and the hub answers where an upload is.
        let offset = bytes.isEmpty ? asset.size : parameters.offset
        let request = AssetUpload.request(
            for: bytes, of: asset, from: offset, to: ZoneID(container, owner: nil, .defaultZone))
        try exchange(request) { [call = call.later] outcome in
            call.answer { () throws(Failure) in
                switch HubReply(outcome) {
                case .uploaded(let offset, let isComplete) where offset <= asset.size:
                    return .init(stored: offset, complete: isComplete)
                case .uploadDiffers: throw Self.digestDiffers
                case let reply:
                    try Self.require(reply)
                    throw Self.strange
                }
            }
        }
    }

    func readPublicAsset(_ call: MethodCall<SyncInterface.ReadPublicAsset>) throws(Failure) {
        let parameters = call.parameters
        let container = try container(parameters.container, parameters.environment, call.connection)
        let digest = try Self.digest(parameters.digest)
        let name = try Self.name(parameters.name, "name", RecordName.init, "a record")
        try Self.requireOffset(parameters.offset)
        let (first, most) = (parameters.offset, Int64(AssetLimits.partBytes))
        guard first <= Asset.mostBytes else { throw Self.beyondEnd }
        var request = HubRequest(
            method: .get,
            path: HubAddress.asset(digest, of: name, in: ZoneID(container, owner: nil, .defaultZone)))
        request.time = AssetUpload.patience
        request.headers = [HTTPAnswer.Header("Range", "bytes=\(first)-\(first + most - 1)")]
        try exchange(request) { [call = call.later] outcome in
            call.answer { () throws(Failure) in
                guard case .answered(let answer) = outcome, [206, 404, 416].contains(answer.status) else {
                    try Self.require(HubReply(outcome))
                    throw Self.strange
                }
                guard answer.status != 404 else {
                    throw .assetNotFound(
                        message: "There is no record \(name) with this asset that the account may read.")
                }
                guard let size = Self.size(answer.headers) else { throw Self.strange }
                if answer.status == 416 {
                    guard first == size else { throw Self.beyondEnd }
                    return .init(bytes: "", size: size)
                }
                guard Int64(answer.body.count) == min(most, size - first) else { throw Self.strange }
                return .init(bytes: Base64.text(answer.body), size: size)
            }
        }
    }

    private func exchange(
        _ request: HubRequest, _ completion: @escaping @DaemonActor (HTTPOutcome) -> Void
    ) throws(Failure) {
        _ = try account
        guard carrier.exchange(request, completion: completion) else { throw hubUnavailable }
    }

    /// The size of the whole asset of which the answer has a part, or none, by `Content-Range`.
    private static func size(_ headers: [HTTPAnswer.Header]) -> Int64? {
        let range = headers.first { $0.name.lowercased() == "content-range" }?.value
        guard let size = range?.split(separator: "/").last.flatMap({ Int64($0) }), size >= 0 else { return nil }
        return size
    }

    private static var beyondEnd: Failure {
        .invalidArgument(argument: "offset", message: "It is after the end of the asset.")
    }
}
