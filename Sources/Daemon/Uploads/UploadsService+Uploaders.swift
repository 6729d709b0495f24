import Authorization
import Interfaces
import Journal
import Platform
import Varlink

// Calls of uploaders

extension UploadsService {
    /// Attaches an uploader, which from now on receives the commands of operators.
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
                    + " already. Two uploaders would send everything twice; end one of them.")
        }
        try admit(key)
        let other = attachments.updateValue(call, forKey: key)
        if let other, !other.isOver {
            other.fail(
                UploadsInterface.Failure.alreadyAttached(
                    name: key.name, message: "The same process has attached again."))
        }
        call.onEnd = { [weak self, unowned call] in self?.detach(call, key) }
        notify(key)
        record([registry.attach(key, sent: backlog(key)?.sent ?? 0)])
        changed(key)
    }

    /// Whether the earlier call has ended, or its process has, even if that was not reported yet, or both calls are of one process.
    private func isOver(_ other: Call, replacedBy call: Call) -> Bool {
        let (peer, new) = (other.connection.peer, call.connection.peer)
        return other.isOver || !other.connection.isOpen || peer.processID == new.processID || !peer.isAlive
    }

    /// Adds an upload, and has it stored, unless it is known.
    /// - Throws: An error if there are too many.
    private func admit(_ key: UploadKey) throws(UploadsInterface.Failure) {
        if registry.uploads[key] != nil { return }
        if !registry.hasRoom(for: key) { makeRoom(for: key.app) }
        guard registry.hasRoom(for: key) else {
            throw .tooManyUploads(
                message: "\(key.app.name) has \(UploadRegistry.mostOfApp) uploads, or all apps of its user"
                    + " \(UploadRegistry.mostOfUser), the limit. Erase recordings that are not uploaded any more.")
        }
        journal.append([], changes: [.value(key.savedName, UploadRegistry.saved(isPaused: false))]) { _ in }
    }

    /// Removes uploads of an app that have neither an uploader nor a recording, and are not paused.
    private func makeRoom(for app: AppID) {
        for (key, entry) in registry.uploads where key.app == app && !entry.isRunning && !entry.isPaused {
            if backlog(key) == nil { forget(key) }
        }
    }

    /// Called when a call of `Attach` has ended.
    func detach(_ call: Call, _ key: UploadKey) {
        guard attachments[key] === call else { return }
        attachments[key] = nil
        record(registry.detach(key))
        changed(key)
    }

    /// Handles an uploader's status report.
    func report(_ call: MethodCall<UploadsInterface.Report>) throws(UploadsInterface.Failure) {
        let report = call.parameters
        guard RecordingIdentifier.isValid(report.name) else {
            return call.call.fail(ServiceError.invalidParameter("name"))
        }
        let key = UploadKey(app: try app(of: call.call), name: report.name)
        // After a restart of the daemon, a report may arrive before the uploader attaches again.
        try admit(key)
        call.reply(EmptyReply())
        guard registry.uploads[key]?.status != report.status else { return }
        record(registry.report(report.status, of: key, at: clock.monotonicNanoseconds))
        changed(key)
    }

    /// Sends its present pause state and a command to an uploader.
    func notify(_ key: UploadKey, _ command: UploaderCommand? = nil) {
        guard let call = attachments[key] else { return }
        let order = UploadsInterface.Attach.Reply(
            command: command?.rawValue, isPaused: registry.uploads[key]?.isPaused ?? false)
        call.reply(EncodedReply(order, continues: true))
    }

    /// The app that made a call.
    private func app(of call: Call) throws(UploadsInterface.Failure) -> AppID {
        let identity = clients.identity(of: call.connection)
        guard let app = identity.app else {
            throw .notAllowed(
                message: "Only apps upload recordings, and this program is no app:"
                    + " \(identity.complaint ?? "it is unknown").")
        }
        return app
    }
}
