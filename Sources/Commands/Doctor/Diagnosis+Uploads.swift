import Interfaces

/// Findings about uploads that do not continue by themselves.
extension Diagnosis {
    var uploads: [Finding] {
        facts.uploads.compactMap { upload in
            let state = UploadStateText(upload: upload)
            guard isStuck(upload), let sentence = state.sentence else { return nil }
            return Finding(
                severity: .note, subject: "Upload", text: "\(upload.name): \(sentence)",
                advice: state.advice ?? "See `waymark uploads`.")
        }
    }

    /// Whether a person has to act: a lost route recovers by itself.
    private func isStuck(_ upload: KnownUpload) -> Bool {
        if !upload.isRunning { return upload.waiting > 0 }
        return upload.isPaused || upload.status.state == .blocked
            || upload.status.state == .waitingForRecording && upload.status.reason != nil
    }
}
