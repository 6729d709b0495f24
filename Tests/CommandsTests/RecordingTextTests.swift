import CommandLineKit
import Interfaces
import Location
import Testing

@testable import Commands

@Suite struct RecordingTextTests {
    private func recording(
        _ state: RecordingInterface.State, _ change: (inout KnownRecording) -> Void = { _ in }
    ) -> KnownRecording {
        var recording = KnownRecording(
            uid: 4_294_967_290, app: "trailmap", identifier: "trip", id: RecordingID(high: 1, low: 2),
            options: RecordingOptions(),
            isStarted: state != "stopped", state: state, startedAt: 100)
        change(&recording)
        return recording
    }

    @Test func `recordings are shown in a table, with their obstacles`() {
        let text = RecordingText(now: 100_000, terminal: Terminal(isTerminal: false))
        let first = recording("recording") {
            $0.last = 12_345
            $0.protection = .complete
            $0.waiting = 45
            $0.oldestWaiting = 99_700
        }
        let second = recording("notInUse") { $0.dropped = 7 }
        #expect(
            text.table([first, second]) == [
                "NAME  APP       USER          LAST  WAITING  OLDEST  REJECTED  LOST  PROTECTION  STATE",
                "trip  trailmap  4294967290  12,345       45   5 min         0     0  complete    recording",
                "trip  trailmap  4294967290       0        0       -         0     7  -           "
                    + "the app may have positions only while it is in use",
            ])
        #expect(text.table([]).isEmpty)
    }

    @Test(
        arguments: [
            ("recording", "trip is being recorded."), ("stopped", "trip is stopped."),
            ("deniedGlobally", "trip is started, and nothing is recorded now: location services are off."),
            ("newWord", "trip is started, and nothing is recorded now: newWord."),
        ] as [(RecordingInterface.State, String)])
    func `the state of a recording is a sentence`(state: RecordingInterface.State, sentence: String) {
        #expect(RecordingText.sentence(recording(state)) == sentence)
    }

    @Test func `the doctor reports why nothing is recorded, and positions that are pending too long or lost`() {
        var facts = DoctorFacts()
        facts.now = 1_000_000
        facts.recordings = [
            recording("recording"), recording("stopped"),
            recording("denied"), recording("journalUnavailable"),
            recording("recording") {
                $0.waiting = 1_204
                $0.oldestWaiting = 1_000_000 - 3 * 86_400
                $0.dropped = 3
            },
            recording("recording") {
                $0.waiting = 9
                $0.oldestWaiting = 999_990
            },
        ]
        let findings = Diagnosis(facts: facts).recordings
        #expect(findings.count == 4)
        #expect(
            findings[0].text == "trip of trailmap (4294967290) is started, and nothing is recorded:"
                + " the app may not have positions.")
        #expect(findings[0].advice == "waymark authorize trailmap always --user 4294967290")
        #expect(findings[0].severity == .note && findings[1].severity == .problem)
        #expect(
            findings[2].text
                == "of trip of trailmap (4294967290) 1,204 positions wait, the oldest for 3 days: they are not acknowledged."
        )
        #expect(findings[3].text.contains("3 positions were dropped"))
    }
}
