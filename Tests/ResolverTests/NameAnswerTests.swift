import Glibc
import NetworkPaths
import TestSupport
import Testing

@testable import Resolver

@Suite struct NameAnswerTests {
    private static func addresses(_ texts: String...) -> NameAnswer {
        .addresses(texts.compactMap { HostAddress($0) })
    }

    @Test(arguments: [
        (addresses("192.0.2.1"), "192.0.2.1\nfound\n"),
        (addresses("2001:db8::1", "fe80::1%3", "fe80::2"), "2001:db8::1\nfe80::1%3\nfe80::2\nfound\n"),
        (.notFound, "notFound\n"), (.notAnswering, "tryAgain\n"), (.failed("no such file"), "failed no such file\n"),
    ])
    func `a result is written and read`(answer: NameAnswer, text: String) {
        #expect(answer.text == text)
        #expect(NameAnswer(lines: Array(text.utf8)) == answer)
    }

    @Test(arguments: [
        "", "\n", "found\n", "192.0.2.1\n", "192.0.2.1\nfound", "192.0.2.1\n\nfound\n", "192.0.2.1\nfound\n\n",
        "192.0.2.1\nnotFound\n", "notFound\nnotFound\n", "notFound", "NotFound\n", "failed\n", "192.0.2.1 \nfound\n",
        "192.0.2.1%1\nfound\n", "fe80::1%\nfound\n", "fe80::1%a b\nfound\n", "fe80::1%2147483648123456\nfound\n",
        "192.0.2.1%\u{0}\nfound\n", "192.0.2.1\r\nfound\r\n",
        String(repeating: "192.0.2.1\n", count: 33) + "found\n",
        "failed " + String(repeating: "x", count: 4_096) + "\n",
    ])
    func `incomplete or malformed lines are rejected`(text: String) {
        #expect(NameAnswer(lines: Array(text.utf8)) == nil)
    }

    @Test func `a reason is one short line, whatever it contains`() {
        let reason = NameAnswer.failed("a\nfound\n\u{1b}[2Jé" + String(repeating: "x", count: 1_000))
        guard case .failed(let read)? = NameAnswer(lines: Array(reason.text.utf8)) else {
            Issue.record("no result: \(reason.text)")
            return
        }
        #expect(read.hasPrefix("a?found??[2J??xxx") && read.utf8.count == 200)
        #expect(NameAnswer(lines: Array("failed \u{1b}[31m\n".utf8)) == .failed("?[31m"))
    }

    @Test func `the longest result can be read`() {
        let address = "fe80:ffff:ffff:ffff:ffff:ffff:ffff:ff"
        let most = (10..<(10 + NameAnswer.mostAddresses)).compactMap { HostAddress("\(address)\($0)%2147483647") }
        #expect(most.count == NameAnswer.mostAddresses)
        let text = NameAnswer.addresses(most + most).text
        #expect(text.utf8.count <= NameAnswer.mostBytes)
        #expect(NameAnswer(lines: Array(text.utf8)) == .addresses(most))
    }

    @Test func `random lines are a result or are rejected`() {
        var random = SeededGenerator()
        let pieces = [
            "192.0.2.1", "::1", "fe80::1", "%", "1", "\n", "\n", "found", "notFound", "failed ", "é", "\u{0}",
        ]
        for _ in 0..<2_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                bytes += pieces.randomElement(using: &random).map { Array($0.utf8) } ?? []
                if Int.random(in: 0..<20, using: &random) == 0 {
                    bytes.append(UInt8.random(in: 0...255, using: &random))
                }
            }
            guard let answer = NameAnswer(lines: bytes) else { continue }
            #expect(NameAnswer(lines: Array(answer.text.utf8)) == answer)
        }
    }

    @Test(
        arguments: [
            (EAI_NONAME, 0, .notFound), (-5, 0, .notFound), (-9, 0, .notFound), (EAI_AGAIN, 0, .notAnswering),
            (EAI_SYSTEM, EMFILE, .failed("Too many open files")), (EAI_MEMORY, 0, .failed("Memory allocation failure")),
        ] as [(Int32, Int32, NameAnswer)])
    func `each failure of getaddrinfo has its result`(code: Int32, systemCode: Int32, answer: NameAnswer) {
        #expect(NameLookup.answer(forFailure: code, systemCode: systemCode) == answer)
    }
}
