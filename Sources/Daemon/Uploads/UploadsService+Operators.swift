import Interfaces
import Journal
import Platform
import Varlink

// What operators want.

extension UploadsService {
    /// Stops an upload, or lets it go on: once that is durable.
    func setPaused(_ isPaused: Bool, _ call: Call, _ choice: UploadChoice) {
        guard let key = choose(choice, call) else { return }
        let by = call.connection.peer.userID
        let wasPaused = registry.uploads[key]?.isPaused
        let event = Event(isPaused ? .uploadPaused : .uploadResumed, key, ["by": .text("operator \(by)")])
        // Said once more it is stored once more, as what was said before may not be durable yet, but it is no news.
        let events = wasPaused == isPaused ? [] : [event]
        journal.append(events, changes: [.value(key.savedName, UploadRegistry.saved(isPaused: isPaused))]) {
            [weak self, weak call] result in
            DaemonActor.assumeIsolated {
                switch result {
                case .success:
                    for event in events { self?.recorder.tell(event) }
                    self?.pausedDurably(isPaused, key, call)
                case .failure(let error):
                    call?.fail(
                        ErrorName.uploadsJournalUnavailable.rawValue,
                        message: "That could not be stored, so nothing has changed: \(error.description). See `waymark"
                            + " status`.")
                }
            }
        }
    }

    private func pausedDurably(_ isPaused: Bool, _ key: UploadKey, _ call: Call?) {
        if registry.uploads[key]?.isPaused != isPaused {
            registry.setPaused(isPaused, key)
            tell(key)
            changed(key)
        }
        answer(key, call)
    }

    /// Tells an uploader what to do, where it runs.
    func order(_ command: UploaderOrder.Command, _ call: Call, _ choice: UploadChoice) {
        guard let key = choose(choice, call) else { return }
        guard attachments[key] != nil else {
            return refuse(
                call, .uploaderNotRunning,
                "The uploader \(key.app.name) does not run, so nobody would do it. Start its service.",
                parameters: [.init("name", .string(key.name))])
        }
        tell(key, command)
        answer(key, call)
    }

    private func answer(_ key: UploadKey, _ call: Call?) {
        guard let upload = upload(key) else { return refuseUnknown(key.name, call) }
        call?.reply { writer in
            writer.key("upload")
            upload.write(to: &writer)
        }
    }

    /// The upload that an operator means; nil where the call has been told why there is none.
    private func choose(_ choice: UploadChoice, _ call: Call) -> UploadKey? {
        guard authorizer.isOperator(call.connection) else {
            refuse(
                call, .uploadsNotOperator,
                "Only operators may do this: root, the daemon's user and members of the operators' group. An app may not,"
                    + " whoever runs it.")
            return nil
        }
        let keys = registry.choose(choice)
        if keys.count > 1 {
            let all = keys.prefix(5).map { "\($0.app.name) of uid \($0.app.uid)" }.joined(separator: ", ")
            refuse(
                call, .uploadAppNeeded,
                "More than one upload is called \(choice.name): of \(all)\(keys.count > 5 ? " and others" : ""). Say"
                    + " which app, and which user where that is not enough.")
            return nil
        }
        if keys.isEmpty { refuseUnknown(choice.name, call) }
        return keys.first
    }

    private func refuseUnknown(_ name: String, _ call: Call?) {
        guard let call else { return }
        refuse(
            call, .noSuchUpload,
            "There is no upload of this name: no such uploader was ever attached. `waymark uploads` lists those there"
                + " are.", parameters: [.init("name", .string(name))])
    }
}
