import Location
import Testing

@testable import Upload

/// What responses mean in every format. Where formats differ, their vectors apply (`VectorTests`).
@Suite struct AnswerTests {
    private static let now = UTCTime(microseconds: Samples.begin)

    private func verdict(
        _ answer: HTTPAnswer, _ format: UploadFormat, at url: String = "https://tracker.example.org/in"
    ) -> Verdict {
        AnswerClassifier.verdict(on: answer, format: format, url: Samples.url(url), at: Self.now)
    }

    private func answer(_ status: Int, _ body: String, _ headers: [HTTPAnswer.Header] = []) -> HTTPAnswer {
        HTTPAnswer(status: status, headers: headers, body: Array(body.utf8))
    }

    @Test func `an error that the destination names is reported`() {
        let body = #"{"result":"error","error":"unknown\ntoken"}"#
        #expect(verdict(answer(200, body), .overland) == .later(.refused("unknown token"), after: nil))
    }

    @Test(arguments: [UploadFormat.owntracks, .osmand])
    func `a webhook that Home Assistant does not have, or not yet, acknowledges nothing`(_ format: UploadFormat) {
        let webhook = "https://home.example.org/api/webhook/{secret}"
        #expect(verdict(answer(200, ""), format, at: webhook) == .later(.wrongAnswer(status: 200), after: nil))
        for body in ["[]", "Setting location for boat"] {
            #expect(verdict(answer(200, body), format, at: webhook) == .acknowledged)
        }
        #expect(verdict(answer(200, ""), format) == .acknowledged)
        // An automation with a webhook of its own replies with nothing.
        #expect(verdict(answer(200, ""), .geojson, at: webhook) == .acknowledged)
    }

    @Test(arguments: UploadFormat.all)
    func `a portal's page acknowledges nothing`(_ format: UploadFormat) {
        for body in ["<html>", "\u{FEFF}\r\n <!DOCTYPE html>", "\t<?xml version=\"1.0\"?><WISPAccessGatewayParam/>"] {
            #expect(verdict(answer(200, body), format) == .later(.captive, after: nil))
        }
        let portal = [HTTPAnswer.Header("location", "http://login.portal.example/?u=1")]
        for status in [301, 302, 303, 307, 308] {
            #expect(verdict(answer(status, "", portal), format) == .later(.captive, after: nil))
        }
        #expect(verdict(answer(511, "<html>"), format) == .later(.captive, after: nil))
    }

    @Test(arguments: UploadFormat.all)
    func `a destination that has moved blocks, and the redirection is not followed`(_ format: UploadFormat) {
        for location in ["/in/", "https://tracker.example.org/elsewhere", "//tracker.example.org:8443/", "x"] {
            let headers = [HTTPAnswer.Header("Location", location)]
            #expect(verdict(answer(307, "", headers), format) == .blocked(.moved(status: 307)))
        }
        #expect(verdict(answer(304, ""), format) == .blocked(.moved(status: 304)))
    }

    @Test(arguments: UploadFormat.all)
    func `each status has its meaning`(_ format: UploadFormat) {
        for status in [408, 425, 429, 500, 501, 502, 503, 504, 507, 599, 199, 0, 700, -1] {
            #expect(verdict(answer(status, "<html>"), format) == .later(.status(status), after: nil))
        }
        for status in [401, 403, 407] {
            #expect(verdict(answer(status, ""), format) == .blocked(.unauthorized(status: status)))
        }
        #expect(verdict(answer(413, "big"), format) == .tooLarge(DestinationRefusal(status: 413, message: "big")))
        for status in [402, 405, 406, 409, 410, 411, 415, 418, 422, 431, 451, 499] {
            #expect(
                verdict(answer(status, "no"), format) == .rejected(DestinationRefusal(status: status, message: "no")))
        }
    }

    @Test(
        arguments: [
            ("0", 0), ("120", 120), ("Mon, 01 Jun 2026 08:02:00 GMT", 120), ("Monday, 01-Jun-26 08:02:00 GMT", 120),
            ("Mon Jun  1 08:02:00 2026", 120), ("Mon, 01 Jun 2026 07:59:00 GMT", 0),
            ("99999999999999999999999", Int64(Int32.max)),
            ("Mon, 31 Feb 2026 08:00:00 GMT", nil), ("soon", nil), ("", nil), ("1.5", nil), ("-1", nil),
            ("Mon, 01", nil),
            ("Mon, 01 Jun 2026 24:00:00 GMT", nil), ("Mon, 01 Jun 2026 08:00 GMT", nil),
            ("Mon, 01 Jux 2026 08:00:00 GMT", nil),
        ] as [(String, Int64?)])
    func `Retry-After states the wait in seconds or as a date`(_ text: String, _ seconds: Int64?) {
        let answer = answer(503, "", [HTTPAnswer.Header("Retry-After", text)])
        #expect(answer.retryAfter(at: Self.now) == seconds.map { .seconds($0) })
    }

    @Test func `a date is compared with the destination's own clock`() {
        let headers = [
            HTTPAnswer.Header("Date", "Sun, 06 Nov 1994 08:49:07 GMT"),
            HTTPAnswer.Header("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ]
        #expect(answer(503, "", headers).retryAfter(at: Self.now) == .seconds(30))
    }

    @Test(arguments: [(1, 1), (2, 2), (3, 4), (9, 256), (10, 300), (60, 300), (Int.max, 300)])
    func `the wait doubles up to five minutes`(_ attempt: Int, _ seconds: Int) {
        #expect(RetryPolicy.ceiling(after: attempt) == .seconds(seconds))
        #expect(RetryPolicy.delay(after: attempt, random: 0) == .zero)
        #expect(RetryPolicy.delay(after: attempt, random: 0.999999) <= .seconds(seconds))
        #expect(RetryPolicy.delay(after: attempt, random: 0, requested: .seconds(7)) == .seconds(7))
        #expect(RetryPolicy.delay(after: attempt, random: 1, requested: .seconds(86_400)) == .seconds(300))
    }
}
