import Authorization
import Interfaces
import Journal
import Platform
import Varlink

// What uploaders call.

extension UploadsService {
    /// An uploader is there, and is told from now on what operators want of it.
    func attach(_ call: Call, _ request: AttachRequest) {
        guard let app = app(of: call) else { return }
        let key = UploadKey(app: app, name: request.name)
        if let other = attachments[key], !isOver(other, replacedBy: call) {
            return refuse(
                call, .alreadyAttached,
                "Process \(other.connection.peer.processID) of \(app.name) is attached for \(request.name) already: two"
                    + " would send everything twice. End one of them.", parameters: [.init("name", .string(key.name))])
        }
        guard admit(key, call) else { return }
        let other = attachments.updateValue(call, forKey: key)
        if let other, !other.isOver {
            other.fail(
                ErrorName.alreadyAttached.rawValue, message: "The same process has attached once more.",
                parameters: [.init("name", .string(key.name))])
        }
        call.onEnd = { [weak self, unowned call] in self?.detach(call, key) }
        tell(key)
        record([registry.attach(key)])
        changed(key)
    }

    /// Whether the process of an earlier call is gone, though that was not told yet, or is the same.
    private func isOver(_ other: Call, replacedBy call: Call) -> Bool {
        let (peer, new) = (other.connection.peer, call.connection.peer)
        return other.isOver || !other.connection.isOpen || peer.processID == new.processID || !peer.isAlive
    }

    /// Sees to it that an upload is known, also after a restart; ends the call where there are too many.
    private func admit(_ key: UploadKey, _ call: Call) -> Bool {
        if registry.uploads[key] != nil { return true }
        if !registry.hasRoom(for: key) { makeRoom(for: key.app) }
        guard registry.hasRoom(for: key) else {
            refuse(
                call, .tooManyUploads,
                "\(key.app.name) has \(UploadRegistry.mostOfApp) uploads, or all apps of its user"
                    + " \(UploadRegistry.mostOfUser). Erase recordings that are not carried any more.")
            return false
        }
        journal.append([], changes: [.value(key.savedName, UploadRegistry.saved(isPaused: false))]) { _ in }
        return true
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
    func report(_ call: Call, _ report: StandingReport) {
        guard let app = app(of: call) else { return }
        let key = UploadKey(app: app, name: report.name)
        // After a restart of the daemon it may come before the call by which the uploader attaches again.
        guard admit(key, call) else { return }
        call.reply { _ in }
        guard registry.uploads[key]?.standing != report.standing else { return }
        record(registry.report(report.standing, of: key, at: clock.monotonicNanoseconds))
        changed(key)
    }

    /// Tells an uploader what is wanted of it.
    func tell(_ key: UploadKey, _ command: UploaderOrder.Command? = nil) {
        guard let call = attachments[key] else { return }
        let order = UploaderOrder(command: command, isPaused: registry.uploads[key]?.isPaused ?? false)
        call.reply(continues: true) { order.writeMembers(to: &$0) }
    }

    /// The app that a call is from; nil where it is from none, which the call has been told then.
    private func app(of call: Call) -> AppID? {
        let identity = authorizer.identity(of: call.connection)
        if identity.app == nil {
            refuse(
                call, .uploadsNotAllowed,
                "Only apps carry recordings, and this program is none: \(identity.complaint ?? "it is not known").")
        }
        return identity.app
    }
}
