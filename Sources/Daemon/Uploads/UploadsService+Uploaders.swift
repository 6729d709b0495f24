import Authorization
import Interfaces
import Journal
import Platform
import Varlink

// What uploaders call.

extension UploadsService {
    /// An uploader is there, and is told from now on what operators want of it.
    func attach(_ call: MethodCall<UploadsInterface.Attach>) throws(UploadsInterface.Failure) {
        let (request, call) = (call.parameters, call.call)
        guard RecordingIdentifier.isValid(request.name) else {
            return call.fail(ServiceError.invalidParameter("name"))
        }
        let app = try app(of: call)
        let key = UploadKey(app: app, name: request.name)
        if let other = attachments[key], !isOver(other, replacedBy: call) {
            throw .alreadyAttached(
                name: key.name,
                message: "Process \(other.connection.peer.processID) of \(app.name) is attached for \(request.name)"
                    + " already: two would send everything twice. End one of them.")
        }
        try admit(key)
        let other = attachments.updateValue(call, forKey: key)
        if let other, !other.isOver {
            other.fail(
                UploadsInterface.Failure.alreadyAttached(
                    name: key.name, message: "The same process has attached once more."))
        }
        call.onEnd = { [weak self, unowned call] in self?.detach(call, key) }
        notify(key)
        record([registry.attach(key)])
        changed(key)
    }

    /// Whether the process of an earlier call is gone, though that was not told yet, or is the same.
    private func isOver(_ other: Call, replacedBy call: Call) -> Bool {
        let (peer, new) = (other.connection.peer, call.connection.peer)
        return other.isOver || !other.connection.isOpen || peer.processID == new.processID || !peer.isAlive
    }

    /// Sees to it that an upload is known, also after a restart.
    /// - Throws: That there are too many.
    private func admit(_ key: UploadKey) throws(UploadsInterface.Failure) {
        if registry.uploads[key] != nil { return }
        if !registry.hasRoom(for: key) { makeRoom(for: key.app) }
        guard registry.hasRoom(for: key) else {
            throw .tooManyUploads(
                message: "\(key.app.name) has \(UploadRegistry.mostOfApp) uploads, or all apps of its user"
                    + " \(UploadRegistry.mostOfUser). Erase recordings that are not carried any more.")
        }
        journal.append([], changes: [.value(key.savedName, UploadRegistry.saved(isPaused: false))]) { _ in }
    }

    /// Forgets what an app carried once and has no recording of any more.
    private func makeRoom(for app: AppID) {
        for (key, entry) in registry.uploads where key.app == app && !entry.isRunning && !entry.isPaused {
            if backlog(key) == nil { forget(key) }
        }
    }

    /// A call of `Attach` has ended.
    func detach(_ call: Call, _ key: UploadKey) {
        guard attachments[key] === call else { return }
        attachments[key] = nil
        record(registry.detach(key))
        changed(key)
    }

    /// An uploader says how it stands.
    func report(_ call: MethodCall<UploadsInterface.Report>) throws(UploadsInterface.Failure) {
        let report = call.parameters
        guard RecordingIdentifier.isValid(report.name) else {
            return call.call.fail(ServiceError.invalidParameter("name"))
        }
        let key = UploadKey(app: try app(of: call.call), name: report.name)
        // After a restart of the daemon it may come before the call by which the uploader attaches again.
        try admit(key)
        call.reply(EmptyReply())
        guard registry.uploads[key]?.status != report.status else { return }
        record(registry.report(report.status, of: key, at: clock.monotonicNanoseconds))
        changed(key)
    }

    /// Tells an uploader what is wanted of it.
    func notify(_ key: UploadKey, _ command: UploaderCommand? = nil) {
        guard let call = attachments[key] else { return }
        let order = UploadsInterface.Attach.Reply(
            command: command?.rawValue, isPaused: registry.uploads[key]?.isPaused ?? false)
        call.reply(EncodedReply(order, continues: true))
    }

    /// The app that a call is from.
    private func app(of call: Call) throws(UploadsInterface.Failure) -> AppID {
        let identity = authorizer.identity(of: call.connection)
        guard let app = identity.app else {
            throw .notAllowed(
                message: "Only apps carry recordings, and this program is none:"
                    + " \(identity.complaint ?? "it is not known").")
        }
        return app
    }
}
