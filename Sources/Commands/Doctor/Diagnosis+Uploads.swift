import Interfaces

/// What is judged of uploads: those on which something waits that will not go by itself.
extension Diagnosis {
    var uploads: [Finding] {
        facts.uploads.compactMap { upload in
            let state = UploadStateText(upload: upload)
            guard isStuck(upload), let sentence = state.sentence else { return nil }
            return Finding(
                severity: .note, subject: "Upload", text: "\(upload.name): \(sentence)",
                advice: state.advice ?? "See waymark uploads.")
        }
    }

    /// Whether somebody has to do something: a lost way comes back by itself.
    private func isStuck(_ upload: KnownUpload) -> Bool {
        if !upload.isRunning { return upload.waiting > 0 }
        return upload.isPaused || upload.status.state == "blocked"
            || upload.status.state == "waitingForRecording" && upload.status.reason != nil
    }
}
