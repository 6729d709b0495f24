import Platform
import Records
import Storage
import SyncInterface
import Varlink

/// A new key for the encrypted fields of the account. The hub removes the bytes of assets with the zones that it deletes
/// for that, so that this machine downloads first what it does not have.
extension SyncService {
    func examineReset(_ call: MethodCall<SyncInterface.ExamineReset>) throws(Failure) {
        try requirePerson(call.connection)
        try requireMember()
        let found = try storing { () throws(StorageError) in try keys.examineReset() }
        call.reply(
            .init(
                zones: Int64(found.zones.count), assets: Int64(found.missing.count), assetBytes: found.missing.bytes))
    }

    func resetKeys(_ call: MethodCall<SyncInterface.ResetKeys>) throws(Failure) {
        try requirePerson(call.connection)
        try requireMember()
        if call.parameters.loseAssets ?? false { return call.reply(try reset()) }
        // Assets of records that were not fetched yet would be lost as well.
        whenSynchronized(call) { (service, call) throws(Failure) in
            try service.reset(call, after: AssetDownloads(service.carrier.assets.hold()))
        }
    }

    /// Refuses a reset on a machine that the hub has removed: what it erases here it could not send again.
    private func requireMember() throws(Failure) {
        guard try account.isRemoved else { return }
        throw .refused(
            message:
                "The hub has removed this machine from the account. Run this on a machine of the account, or leave it"
                + " with `waymark leave`.")
    }

    /// What is downloaded before a reset.
    private struct AssetDownloads {
        var zones: [DoomedZone] = []
        var missing: [MissingAsset] = []
        /// What the hub does not have.
        var absent: Set<MissingAsset> = []
        /// What was downloaded stays.
        let hold: AssetHold

        init(_ hold: AssetHold) { self.hold = hold }
    }

    /// Downloads one asset after the other, and resets when there are no more.
    private func reset(
        _ call: MethodCall<SyncInterface.ResetKeys>, after downloads: AssetDownloads
    ) throws(Failure) {
        var downloads = downloads
        if downloads.missing.isEmpty {
            let found = try storing { () throws(StorageError) in try keys.examineReset() }
            downloads.zones = found.zones
            downloads.missing = found.missing.filter { !downloads.absent.contains($0) }
        }
        guard let next = downloads.missing.last,
            let place = downloads.zones.first(where: { $0.zone.id == next.zone })
        else { return call.reply(try reset()) }
        let waiter = AssetFetcher.Waiter(isWaiting: { !call.call.isOver && call.connection.isOpen }) {
            [weak self, downloads] result in
            var downloads = downloads
            do throws(Failure) {
                switch result {
                case .success: break
                case .failure(.notFound), .failure(.unsent): downloads.absent.insert(next)
                case .failure(.hub(let problem)): throw Self.unreachable(downloads.missing, problem)
                case .failure(.storage(let error)): throw Self.notStored(error)
                }
                downloads.missing.removeLast()
                try self?.reset(call, after: downloads)
            } catch { call.fail(error) }
        }
        carrier.assets.fetch(next.asset, of: next.record, in: place.zone, place.container, for: waiter)
    }

    private func reset() throws(Failure) -> SyncInterface.ResetKeys.Reply {
        let lost = try storing { () throws(StorageError) in try keys.examineReset().missing }
        let zones = try storing { () throws(StorageError) in try keys.reset() }
        Log.notice("the key of encrypted fields is a new one, and \(zones) zones without readable values are reset")
        if !lost.isEmpty { Log.warning("\(lost.count) files of these zones are not on this machine and are removed") }
        changed()
        return .init(zones: Int64(zones), lostAssets: Int64(lost.count), lostBytes: lost.bytes)
    }

    private static func unreachable(_ missing: [MissingAsset], _ problem: String) -> Failure {
        .networkUnavailable(
            message:
                "Nothing is reset: \(missing.count) files of the zones, with \(missing.bytes) bytes, are not on this"
                + " machine and cannot be downloaded. \(problem) Try again, or lose these files with --lose-files.")
    }
}

extension [MissingAsset] {
    /// How many bytes these assets have.
    fileprivate var bytes: Int64 { reduce(0) { $0 + $1.asset.size } }
}
