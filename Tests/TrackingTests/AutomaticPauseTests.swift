import Testing
import Tracking

struct AutomaticPauseTests {
    private var pause = AutomaticPause(after: 300)

    @Test mutating func `a stream pauses once the machine was stationary for the delay, and resumes by movement`() {
        #expect(pause.receive(.unknown, at: time(0)) == .deliver)
        #expect(pause.receive(.moving, at: time(1)) == .deliver)
        #expect(pause.receive(.stationary(since: time(2)), at: time(301)) == .deliver)
        #expect(pause.receive(.stationary(since: time(2)), at: time(302)) == .pause)
        #expect(pause.receive(.stationary(since: time(2)), at: time(303)) == .withhold)
        #expect(pause.isPaused)
        #expect(pause.receive(.moving, at: time(304)) == .resume)
        #expect(pause.receive(.moving, at: time(305)) == .deliver)
        #expect(!pause.isPaused)
    }

    @Test mutating func `a pause is reported again after another report`() {
        #expect(pause.receive(.stationary(since: time(0)), at: time(400)) == .pause)
        pause.interrupt()
        #expect(pause.receive(.stationary(since: time(0)), at: time(500)) == .pause)
        #expect(pause.receive(.stationary(since: time(0)), at: time(501)) == .withhold)
    }

    @Test mutating func `a stream that is not paused cannot be interrupted`() {
        pause.interrupt()
        #expect(pause.receive(.moving, at: time(0)) == .deliver)
    }
}
