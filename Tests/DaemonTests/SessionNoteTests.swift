import Authorization
import Interfaces
import TestSupport
import Testing
import Varlink

@testable import Daemon

@Suite struct SessionNoteTests {
    private var full: SessionNote {
        var note = SessionNote()
        note.app = AppID(uid: 65_534, name: "org.example.trailmap")
        (note.activity, note.given, note.givenRecorded) = (.inactive, .full, .reduced)
        return note
    }

    @Test func `a written note is read`() {
        for note in [SessionNote(), full] { #expect(SessionNote(decoding: note.encoded) == note) }
    }

    @Test func `damaged bytes give some note or none`() {
        var generator = SeededGenerator(seed: 3)
        let sound = full.encoded
        for count in 0..<8 where count != 4 { #expect(SessionNote(decoding: Array(sound[..<count])) == nil) }
        for _ in 0..<5_000 {
            var bytes = sound
            bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: .min ... .max, using: &generator)
            _ = SessionNote(decoding: bytes)
        }
        var newer = sound
        newer[0] += 1
        #expect(SessionNote(decoding: newer) == nil)
    }

    @Test func `a call that must not be repeated is not`() {
        #expect(ManageInterface.repetitions["Authorize"] == nil && ManageInterface.repetitions["Reset"] == nil)
        #expect(JournalInterface.repetitions["Note"] == nil && AgentInterface.repetitions["Answer"] == nil)
        #expect(RecordingInterface.repetitions["Reject"] == nil && UploadsInterface.repetitions["Flush"] == nil)
        #expect(RecordingInterface.repetitions["Read"] != nil)
    }
}
