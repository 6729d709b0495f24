import CommandLineKit
import Interfaces
import Testing

@testable import Commands

@Suite struct UploadTextTests {
    private static let now = 1_800_000_000.0

    private func upload(
        _ state: UploadsInterface.State, _ reason: UploadsInterface.Reason? = nil, name: String = "home",
        app: String = "waymark-upload@home",
        _ change: (inout KnownUpload) -> Void = { _ in }
    ) -> KnownUpload {
        var upload = KnownUpload(
            name: name, app: app, uid: 0, status: UploadStatus(state: state, reason: reason))
        upload.isRunning = true
        change(&upload)
        return upload
    }

    private func lines(_ uploads: KnownUpload...) -> [String] {
        UploadText(uploads: uploads, now: Self.now, terminal: Terminal(isTerminal: false)).lines
    }

    @Test func `an upload is one line with everything that is counted`() {
        let lines = lines(
            upload("sending") { upload in
                upload.waiting = 12_345
                upload.oldestWaiting = Self.now - 7_500
                upload.deadLetters = 2
                upload.dropped = 3
                upload.status.sent = 1_000
                upload.status.filtered = 86_112
                upload.status.lastStatus = 200
                upload.status.lastSuccess = Self.now - 3
            })
        #expect(
            lines == [
                "NAME  STATE    WAITING     OLDEST   SENT  FILTERED  REJECTED  DROPPED  LAST RESPONSE           NEXT TRY",
                "home  sending   12,345  2 h 5 min  1,000    86,112         2        3  200, arrived 3.0 s ago  -",
            ])
        #expect(lines[1].hasPrefix("home  sending   12,345"))
        for text in ["2 h 5 min", "1,000", "200, arrived 3.0 s ago"] { #expect(lines[1].contains(text), "\(lines)") }
    }

    @Test func `a destination that does not respond is shown with the time since`() {
        let lines = lines(upload("sending", "noAnswer") { $0.status.unansweredSince = Self.now - 42 })
        #expect(lines.contains { $0.hasPrefix("home  sending, no response for 42") }, "\(lines)")
        #expect(lines.last?.hasPrefix("home: the destination does not respond: no response for 42") == true, "\(lines)")
    }

    @Test func `why no regions are reported is shown below the table, while positions are sent`() {
        let lines = lines(
            upload("idle") {
                $0.status.regions = UploadsInterface.RegionMessages(
                    state: .withheld, message: "they need more\u{1B}", regions: 2, sent: 0, pending: 0, skipped: 0,
                    refused: 0)
            })
        #expect(lines.count == 3 && lines[2].hasPrefix("home, its regions: they need more"), "\(lines)")
        #expect(!lines[2].contains("\u{1B}"))
    }

    @Test(arguments: ["regions need full accuracy", "Nobody has decided yet: `waymark apps` shows how."])
    func `the reason why no regions are reported ends with one full stop`(_ message: String) throws {
        let lines = lines(
            upload("idle") {
                $0.status.regions = UploadsInterface.RegionMessages(
                    state: .withheld, message: message, regions: 2, sent: 0, pending: 0, skipped: 0, refused: 0)
            })
        let last = try #require(lines.last)
        #expect(last.hasSuffix(".") && !last.hasSuffix(".."), "\(lines)")
    }

    @Test func `an empty list has a message, too`() {
        #expect(lines().count == 1 && lines()[0].hasPrefix("There are no uploads"))
    }

    @Test(
        arguments: [
            ("waitingForPath", "noRoute", "waiting for a path", "home: no route leads there.", "waymark path"),
            (
                "deferred", "expensive", "waiting for a better path", "home: the route to the destination costs money.",
                "waymark uploads flush home"
            ),
            ("backingOff", "timedOut", "failed once", "home: there was no response in time.", nil),
            (
                "blocked", "unauthorized", "blocked", "home: the credential is not accepted.",
                "`waymark uploads check home`; then `waymark uploads flush home` tries it at once"
            ),
            ("waitingForRecording", nil, "waiting for its recording", "home: it cannot read its recording yet.", nil),
            ("dreaming", "sheep", "dreaming", "home: dreaming: sheep.", nil),
        ] as [(UploadsInterface.State, UploadsInterface.Reason?, String, String, String?)])
    func `the reason of a waiting upload is a sentence, with the next step`(
        state: UploadsInterface.State, reason: UploadsInterface.Reason?, word: String, sentence: String, advice: String?
    ) {
        let lines = lines(upload(state, reason))
        #expect(lines[1].contains(word), "\(lines)")
        #expect(lines[2] == sentence)
        #expect(lines.count == (advice == nil ? 3 : 4))
        if let advice { #expect(lines[3] == "  → \(advice)") }
    }

    @Test(
        arguments: [
            ("moved", "Once that is corrected: `waymark uploads flush home` tries it at once"),
            (
                "unauthorized",
                "If it is corrected at the destination instead: `waymark uploads flush home` tries it at once"
            ),
            ("broker", "If it is corrected at the destination instead: `waymark uploads flush home` tries it at once"),
            ("notConfigured", nil),
        ] as [(UploadsInterface.Reason, String?)])
    func `a message of the uploader itself is shown instead, and flush is advised where it helps`(
        reason: UploadsInterface.Reason, advice: String?
    ) {
        let lines = lines(upload("blocked", reason) { $0.status.message = "The token is wrong. Run another one." })
        #expect(
            lines.dropFirst(2) == ["home: The token is wrong. Run another one."] + (advice.map { ["  → \($0)"] } ?? []))
    }

    @Test func `a blocked upload with refused positions names the command that sends them again`() {
        let lines = lines(upload("blocked", "everythingRejected") { $0.deadLetters = 3 })
        #expect(lines.last?.contains("`waymark uploads retry-rejected home` sends rejected positions again") == true)
    }

    @Test(arguments: [(1, "1 position waits"), (2, "2 positions wait")])
    func `one position waits, and more wait`(count: Int64, words: String) {
        let stopped = upload("idle") { upload in
            upload.isRunning = false
            upload.waiting = count
        }
        #expect(lines(stopped)[2] == "home: its uploader does not run, while \(words).")
        let route = upload("waitingForPath", "noRoute") { $0.waiting = count }
        #expect(FlushProgress(route).sentence.contains(words.replacing("wait", with: "still wait")))
    }

    @Test func `an uploader that does not run is reported first`() {
        let left = lines(
            upload("idle") { upload in
                upload.isRunning = false
                upload.waiting = 7
                upload.status.nextAttempt = Self.now + 60
            })
        #expect(left[1].contains("not running") && left[1].hasSuffix("-"))
        #expect(left[2] == "home: its uploader does not run, while 7 positions wait.")
        #expect(left[3].contains("systemctl enable --now waymark-upload@home.service"))
        let paused = lines(upload("backingOff", "connect") { $0.isPaused = true })
        #expect(paused[2] == "home: an operator has paused it.")
        #expect(paused[3] == "  → waymark uploads resume home")
    }

    @Test func `two uploads of one name are shown with their apps`() {
        let lines = lines(upload("idle"), upload("idle", app: "other"))
        #expect(lines[0].hasPrefix("NAME  APP"))
        #expect(lines[1].contains("waymark-upload@home of root") && lines[2].contains("other of root"))
    }

    @Test func `changes reported one after another stay in order`() {
        var table = UploadTable()
        table.apply([upload("idle", name: "b"), upload("idle", name: "a")])
        table.apply([upload("sending", name: "b")])
        #expect(table.uploads.map(\.name) == ["a", "b"])
        #expect(table.uploads[1].status.state == "sending")
        table.apply([upload("sending", name: "b", app: "other")])
        #expect(table.uploads.count == 3)
    }

    @Test func `the doctor reports uploads with pending positions that need somebody's action`() {
        func found(_ upload: KnownUpload) -> [Finding] {
            var facts = DoctorFacts()
            facts.uploads = [upload]
            return Diagnosis(facts: facts).findings.filter { $0.subject == "Upload" }
        }
        let left = found(
            upload("idle") { upload in
                upload.isRunning = false
                upload.waiting = 3
            })
        #expect(left.map(\.text) == ["home: its uploader does not run, while 3 positions wait."])
        #expect(left.first?.severity == .note && left.first?.advice?.contains("systemctl") == true)
        #expect(
            found(upload("blocked", "unauthorized")).first?.advice?.hasPrefix("`waymark uploads check home`") == true)
        #expect(found(upload("idle") { $0.isPaused = true }).count == 1)
        for state: UploadsInterface.State in [.idle, .sending, .waitingForPath, .deferred, .backingOff] {
            #expect(found(upload(state)).isEmpty, "\(state)")
        }
        #expect(found(upload("idle") { $0.isRunning = false }).isEmpty)
    }

    // Flush

    private func progress(waiting: Int64) -> FlushProgress {
        FlushProgress(upload("deferred", "expensive") { $0.waiting = waiting })
    }

    @Test func `a flush is done when as many were sent as waited, whatever is recorded meanwhile`() {
        var progress = progress(waiting: 100)
        #expect(progress.outcome(after: .zero) == nil)
        progress.apply(
            upload("sending") { upload in
                upload.waiting = 60
                upload.status.sent = 50
            })
        #expect(progress.outcome(after: .zero) == nil)
        #expect(progress.text == "home: 50 of 100 sent, sending")
        progress.apply(
            upload("sending") { upload in
                upload.waiting = 10
                upload.status.sent = 98
                upload.status.rejected = 2
            })
        #expect(progress.outcome(after: .zero) == .done)
        #expect(progress.sentence == "home: 100 positions sent, 2 of them rejected.")
    }

    @Test(
        arguments: [
            (20, "home: 20 positions sent; its filter has left out 80 positions."),
            (0, "home: nothing was to be sent; its filter has left out 100 positions."),
        ])
    func `a flush is done when the uploader has acknowledged what its filter has left out`(
        sent: Int64, sentence: String
    ) {
        func reported(_ state: UploadsInterface.State, waiting: Int64, sent: Int64) -> KnownUpload {
            upload(state) { upload in
                upload.waiting = waiting
                (upload.status.sent, upload.status.filtered) = (sent, 900)
            }
        }
        var progress = FlushProgress(reported(.idle, waiting: 100, sent: 0))
        progress.apply(reported(.idle, waiting: 101, sent: 0))
        #expect(progress.outcome(after: .zero) == nil, "it is as it was before")
        progress.apply(reported(.sending, waiting: 90, sent: 0))
        #expect(progress.outcome(after: .zero) == nil)
        progress.apply(reported(.idle, waiting: 2, sent: sent))
        #expect(progress.outcome(after: .zero) == .done)
        #expect(progress.sentence == sentence)
    }

    @Test func `the progress of a flush is never more than all positions`() {
        var progress = progress(waiting: 8)
        progress.apply(
            upload("sending") { upload in
                upload.waiting = 3
                upload.status.sent = 9
            })
        #expect(progress.text == "home: 8 of 8 sent, sending")
    }

    @Test(arguments: [40, 80, 200])
    func `advice is broken at words on a terminal, and never within a command`(columns: Int) {
        let terminal = Terminal(isTerminal: true, size: (columns, 24)) {
            $0 == "TERM" ? "xterm" : $0 == "NO_COLOR" ? "1" : nil
        }
        let blocked = upload("blocked", "moved") { $0.status.message = "It is elsewhere." }
        let lines = UploadText(uploads: [blocked], now: Self.now, terminal: terminal).lines
        #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
        #expect(lines.contains { $0.contains("`waymark uploads flush home`") }, "\(lines)")
        let command = terminal.advice("waymark authorize waymark-upload@home always --user root")
        #expect(command == ["  → waymark authorize waymark-upload@home always --user root"])
    }

    @Test(arguments: [UploadsInterface.State.backingOff, .blocked])
    func `a flush reports only a failure after its command, however long that takes`(state: UploadsInterface.State) {
        var progress = FlushProgress(
            upload(state, "timedOut") { upload in
                upload.waiting = 100
                upload.status.attempt = 7
                upload.status.nextAttempt = Self.now + 200
            })
        #expect(progress.outcome(after: .seconds(3_600)) == nil, "it is as it was before")
        progress.apply(upload("sending") { $0.waiting = 100 })
        #expect(progress.outcome(after: .seconds(3_600)) == nil)
        for (attempt, next) in [(1, 0.5), (2, 1.5)] as [(Int, Double)] {
            progress.apply(
                upload(state, "timedOut") { upload in
                    upload.waiting = 100
                    upload.status.attempt = state == "backingOff" ? attempt : 0
                    upload.status.nextAttempt = Self.now + next
                })
            let isTransient = state == "backingOff" && attempt == 1
            #expect(progress.outcome(after: .zero) == (isTransient ? nil : .stuck))
        }
    }

    @Test(arguments: [UploadsInterface.State.waitingForPath, .waitingForRecording, .blocked])
    func `a flush that cannot continue ends with a reason that is later than its command`(state: UploadsInterface.State)
    {
        var progress = progress(waiting: 100)
        progress.apply(upload(state, "noCarrier") { $0.waiting = 100 })
        #expect(progress.outcome(after: .zero) == nil, "it may be of before")
        #expect(progress.outcome(after: FlushProgress.grace) == .stuck)
        progress.apply(upload("sending") { $0.waiting = 100 })
        #expect(progress.outcome(after: .seconds(3_600)) == nil)
    }

    @Test func `a flush ends immediately if no uploader runs`() {
        var progress = progress(waiting: 100)
        progress.apply(
            upload("sending") { upload in
                upload.waiting = 100
                upload.isRunning = false
            })
        #expect(progress.outcome(after: .zero) == .stuck)
        #expect(
            progress.sentence == "home: 100 positions still wait: its uploader does not run, while 100 positions wait.")
        progress.apply(
            upload("waitingForPath", "noCarrier") { upload in
                upload.waiting = 1
                upload.isPaused = true
            })
        #expect(progress.outcome(after: .zero) == .stuck)
        #expect(progress.sentence == "home: 1 position still waits: an operator has paused it.")
    }

    @Test func `changes of another upload are ignored`() {
        var progress = progress(waiting: 1)
        progress.apply(upload("waitingForPath", name: "work") { $0.waiting = 0 })
        #expect(progress.outcome(after: .zero) == nil && progress.upload.name == "home")
        #expect(self.progress(waiting: 0).outcome(after: .zero) == .done)
    }

    @Test(arguments: [
        ("home", "/etc/waymark/uploads.d/home.conf"), ("./home", "./home"), ("home.conf", "home.conf"),
        ("/tmp/x", "/tmp/x"), ("no name", "no name"),
    ]) func `a name is a destination's, a path a file`(text: String, file: String) {
        #expect(UploadSettings.file(text) == file)
    }
}
