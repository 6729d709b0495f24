import HTTPServing
import Platform
import Records

/// The requests that are being received or answered. Limits how many there are at a time, and how much memory and how many downloads
/// they need.
@DaemonActor
final class Admissions {
    /// Bytes of bodies that are being received, or are complete and not answered yet.
    fileprivate var reservedBytes = 0
    /// Assets that are being sent.
    fileprivate var downloads = 0
    /// Requests in progress of each device; nil stands for all clients without an account.
    fileprivate var inProgress: [AccountDevice?: Int] = [:]

    /// The most bytes of bodies at a time, of all clients.
    private static let mostReservedBytes = 64 << 20
    /// The most assets that are sent at a time, of all clients: of each a part is in memory.
    private static let mostDownloads = 256
    /// The longest body of a request without an account.
    private static let longestOpenBody = 64 << 10
    /// The most requests in progress of a device, besides one that waits for pushes.
    private static let mostOfDevice = 32
    /// The most requests in progress of all clients without an account.
    private static let mostAnonymous = 64

    /// Admits a request of a device, nil for a client without an account. Returns nil if the client has to come later.
    func admit(_ exchange: Exchange, from device: AccountDevice?) -> Admission? {
        let resource = Resource(path: exchange.request.path)
        let isUpload = device != nil && exchange.request.isUpload(to: resource)
        let isDownload = exchange.request.isDownload(of: resource)
        let longest =
            device == nil ? Self.longestOpenBody : isUpload ? HubLimits.partSize : HubLimits.longestBody
        // The length of a chunked body is not announced.
        let isChunked = exchange.request.headers["transfer-encoding"] != nil
        let bytes = isChunked ? longest : min(max(exchange.announcedBytes, 0), longest)
        guard inProgress[device, default: 0] < (device == nil ? Self.mostAnonymous : Self.mostOfDevice),
            reservedBytes + bytes <= Self.mostReservedBytes, !isDownload || downloads < Self.mostDownloads
        else { return nil }
        return Admission(
            self, device, resource, isUpload: isUpload, longestBody: longest, bytes: bytes,
            downloads: isDownload ? 1 : 0)
    }
}

/// A request that was admitted. It counts until the last reference to this object is dropped.
@DaemonActor
final class Admission {
    /// The device that has sent the request; nil for a client without an account.
    let device: AccountDevice?
    /// What the address of the request names; nil for nothing that the hub has.
    fileprivate let resource: Resource?
    /// Whether the body is part of an asset.
    let isUpload: Bool
    /// The longest body that the request may have, in bytes.
    let longestBody: Int
    /// How much of the asset the hub has, if the request uploads a part of one.
    var progress: UploadProgress?
    private weak let admissions: Admissions?
    private let bytes: Int
    private let downloads: Int

    fileprivate init(
        _ admissions: Admissions, _ device: AccountDevice?, _ resource: Resource?, isUpload: Bool, longestBody: Int,
        bytes: Int, downloads: Int
    ) {
        self.admissions = admissions
        self.device = device
        self.resource = resource
        self.isUpload = isUpload
        self.longestBody = longestBody
        self.bytes = bytes
        self.downloads = downloads
        admissions.reservedBytes += bytes
        admissions.downloads += downloads
        admissions.inProgress[device, default: 0] += 1
    }

    isolated deinit {
        guard let admissions else { return }
        admissions.reservedBytes -= bytes
        admissions.downloads -= downloads
        let count = admissions.inProgress[device, default: 1] - 1
        admissions.inProgress[device] = count > 0 ? count : nil
    }
}

extension Exchange {
    /// What the address of a request that was admitted names; nil for nothing that the hub has.
    var resource: Resource? { (context as? Admission)?.resource }
}

extension ServedRequest {
    /// Whether the body is part of an asset.
    fileprivate func isUpload(to resource: Resource?) -> Bool {
        guard method == "PUT" || method == "PATCH", case .zone(_, .upload)? = resource else { return false }
        return true
    }

    /// Whether the response is an asset.
    fileprivate func isDownload(of resource: Resource?) -> Bool {
        guard method == "GET", case .zone(_, .asset)? = resource else { return false }
        return true
    }
}
