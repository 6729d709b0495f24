import Glibc
import Waymark

/// The app's own copy of the notes, with the state of its engine: a file with a line for each.
struct NotesFile {
    /// The state of the engine; nil before the first start.
    var state: SyncEngine.State.Serialization?
    /// The notes by their IDs.
    var notes: [Record.ID: Record] = [:]
    private let path: String

    /// Reads the file; empty if there is none.
    init(_ path: String) {
        self.path = path
        guard let file = fopen(path, "r") else { return }
        defer { fclose(file) }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while true {
            let count = getline(&line, &capacity, file)
            guard count > 0, let start = line else { return }
            let bytes = UnsafeRawBufferPointer(start: start, count: count).filter { $0 != UInt8(ascii: "\n") }
            if let note = Record(encoded: bytes) {
                notes[note.recordID] = note
            } else {
                state = SyncEngine.State.Serialization(encoded: bytes)
            }
        }
    }

    /// Replaces the file: a crash leaves the old or the new one.
    func store() throws {
        var bytes: [UInt8] = []
        if let state { bytes += state.encoded() + [UInt8(ascii: "\n")] }
        for note in notes.values { bytes += try note.encoded() + [UInt8(ascii: "\n")] }
        guard let file = fopen(path + ".new", "w") else { throw StorageError(number: errno) }
        let isWritten =
            fwrite(bytes, 1, bytes.count, file) == bytes.count && fflush(file) == 0 && fsync(fileno(file)) == 0
        fclose(file)
        guard isWritten, rename(path + ".new", path) == 0 else { throw StorageError(number: errno) }
    }

    /// Why the file is not written.
    struct StorageError: Error { let number: Int32 }
}
