import Inspector
import Manifests
import Platform
import Testing

struct InspectorMessageTests {
    @Test(arguments: [
        InspectorRequest.program(processID: 4_711),
        .manifests(userID: 1_000, folder: "/home/mary ann/.config/waymark/apps"),
        .manifests(userID: 4_294_967_294, folder: "/"), .home(userID: 1_000, path: "/home/mary ann"),
    ])
    func `a query reads back as it was written`(request: InspectorRequest) {
        #expect(InspectorRequest(request.bytes[...]) == request)
        #expect(request.bytes.count <= InspectorRequest.mostBytes)
    }

    @Test(arguments: [
        "", "p", "p0", "p-1", "p99999999999", "m1000", "m1000 relative", "m-1 /a", "q1", "m1 /a\0b", "h1000", "h /a",
    ])
    func `other bytes are no query`(text: String) {
        #expect(InspectorRequest(Array(text.utf8)[...]) == nil)
    }

    @Test(arguments: [
        InspectorAnswer.program(.file("/usr/bin/with space")), .home(bornMicroseconds: 1_700_000_000_123_456),
        .program(.unknown("may not be read")),
        .watched([1: .everything, 2: .names([".config"]), 3: .names([]), 4: .names(["a b", "é"])]), .watched([:]),
        .unwatched("no room"), .found(.file("a.app", Array("[App]\n/\0\n".utf8))), .found(.file("a.app", [])),
        .found(.file("a.app", [0xff])), .found(.wrongFile("a.app", "is a/b")), .found(.wrongFolder("is not there")),
        .found(.noFolder),
        .end,
    ])
    func `a reply reads back as it was written`(answer: InspectorAnswer) {
        #expect(InspectorAnswer(answer.bytes[...]) == answer)
    }

    @Test(arguments: ["", "cname", "xname", "w1\0two", "w/", "z", "b", "b0", "b-1", "bx"])
    func `other bytes are no reply`(text: String) {
        #expect(InspectorAnswer(Array(text.utf8)[...]) == nil)
    }
}
