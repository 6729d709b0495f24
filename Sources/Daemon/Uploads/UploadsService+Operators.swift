import Interfaces
import Journal
import Platform
import Varlink

// Calls of operators

extension UploadsService {
    func pause(_ call: MethodCall<UploadsInterface.Pause>) throws(UploadsInterface.Failure) {
        let key = try choose(call.parameters.name, call.parameters.app, call.parameters.uid)
        setPaused(true, key, by: call.connection.peer.userID) { [call = call.later] result in
            call.answer { () throws(UploadsInterface.Failure) in .init(upload: try result.get()) }
        }
    }

    func resume(_ call: MethodCall<UploadsInterface.Resume>) throws(UploadsInterface.Failure) {
        let key = try choose(call.parameters.name, call.parameters.app, call.parameters.uid)
        setPaused(false, key, by: call.connection.peer.userID) { [call = call.later] result in
            call.answer { () throws(UploadsInterface.Failure) in .init(upload: try result.get()) }
        }
    }

    func flush(_ call: MethodCall<UploadsInterface.Flush>) throws(UploadsInterface.Failure) {
        let key = try choose(call.parameters.name, call.parameters.app, call.parameters.uid)
        call.reply(.init(upload: try order(.flush, key)))
    }

    func retryRejected(_ call: MethodCall<UploadsInterface.RetryRejected>) throws(UploadsInterface.Failure) {
        let key = try choose(call.parameters.name, call.parameters.app, call.parameters.uid)
        call.reply(.init(upload: try order(.retryRejected, key)))
    }

    /// Pauses or resumes an upload, as soon as that is durable.
    private func setPaused(
        _ isPaused: Bool, _ key: UploadKey, by uid: UInt32,
        completion: @escaping @DaemonActor (Result<KnownUpload, UploadsInterface.Failure>) -> Void
    ) {
        let wasPaused = registry.uploads[key]?.isPaused
        let event = Event(isPaused ? .uploadPaused : .uploadResumed, key, ["by": .text("operator \(uid)")])
        // A repeated request is stored again, because the first one may not be durable yet, but it is no event.
        let events = wasPaused == isPaused ? [] : [event]
        journal.append(events, changes: [.value(key.savedName, UploadRegistry.saved(isPaused: isPaused))]) {
            [weak self] result in
            DaemonActor.assumeIsolated {
                switch result {
                case .success:
                    guard let self else { return }
                    for event in events { self.recorder.events.notify(event) }
                    self.pausedDurably(isPaused, key)
                    completion(self.upload(key).map { .success($0) } ?? .failure(Self.unknown(key.name)))
                case .failure(let error):
                    completion(
                        .failure(
                            .journalUnavailable(
                                message: "The change was not stored and has no effect: \(error.description). See"
                                    + " `waymark status`.")))
                }
            }
        }
    }

    private func pausedDurably(_ isPaused: Bool, _ key: UploadKey) {
        guard registry.uploads[key]?.isPaused != isPaused else { return }
        registry.setPaused(isPaused, key)
        notify(key)
        changed(key)
    }

    /// Sends a command to an uploader, if it runs.
    private func order(_ command: UploaderCommand, _ key: UploadKey) throws(UploadsInterface.Failure) -> KnownUpload {
        guard attachments[key] != nil else {
            throw .notRunning(
                name: key.name,
                message: "The uploader \(key.app.name) does not run. Start its service, then repeat this.")
        }
        notify(key, command)
        guard let upload = upload(key) else { throw Self.unknown(key.name) }
        return upload
    }

    /// The upload that an operator's call names.
    private func choose(_ name: String, _ app: String?, _ uid: UInt32?) throws(UploadsInterface.Failure) -> UploadKey {
        let keys = registry.choose(name, app: app, uid: uid)
        guard let key = keys.first else { throw Self.unknown(name) }
        guard keys.count == 1 else {
            let all = keys.prefix(5).map { "\($0.app.name) of uid \($0.app.uid)" }.joined(separator: ", ")
            throw .appNeeded(
                message: "More than one upload is named \(name): of \(all)\(keys.count > 5 ? " and others" : ""). Name"
                    + " the app, and the user if needed.")
        }
        return key
    }

    private static func unknown(_ name: String) -> UploadsInterface.Failure {
        .noSuchUpload(
            name: name,
            message:
                "There is no upload of this name: no such uploader was ever attached. `waymark uploads` lists the"
                + " uploads.")
    }
}
