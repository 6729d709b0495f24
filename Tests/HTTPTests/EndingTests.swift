import Testing
import Upload

@testable import HTTP

/// The classification of libcurl's results; the codes are those of libcurl-errors(3).
@Suite struct EndingTests {
    private func ending(_ code: UInt32, _ change: (inout Ending) -> Void = { _ in }) -> UploadFailure? {
        var ending = Ending(code: code)
        change(&ending)
        return ending.failure
    }

    @Test(
        arguments: [
            (0, nil), (3, .connect), (6, .nameLookup), (7, .connect), (28, .connect), (52, .connectionLost),
            (55, .connectionLost), (56, .connectionLost), (18, .connectionLost), (92, .connectionLost),
            (35, .tls(.handshake)), (58, .tls(.credentialUnusable)), (77, .tls(.authoritiesUnusable)),
            (60, .tls(.wrongName)),
        ] as [(UInt32, UploadFailure?)])
    func `each code has its classification`(code: UInt32, failure: UploadFailure?) {
        #expect(ending(code) == failure)
    }

    @Test func `a lookup that times out is a failed lookup`() {
        #expect(ending(28) { $0.hadAddress = false } == .nameLookup)
    }

    @Test func `a failed verification is reported`() {
        #expect(ending(60) { $0.verification = 10 } == .tls(.expired))
        #expect(ending(60) { $0.verification = 1 } == .tls(.wrongName))
    }

    @Test func `an alert of the other side is found in libcurl's message`() {
        let words = "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0"
        #expect(ending(56) { $0.words = words } == .tls(.certificateRefused))
        #expect(
            ending(35) { $0.words = "error:0A00042E:SSL routines::tlsv1 alert protocol version" } == .tls(.handshake))
        for words in ["error:0A", "error:0A00", "error:0Azzzzzz", "error:0A000086:SSL routines", "error:0AFFFFFF"] {
            #expect(ending(56) { $0.words = words } == .connectionLost)
        }
    }

    @Test func `a truncated response is a response`() {
        #expect(
            ending(23) {
                $0.isCutShort = true
                $0.status = 200
            } == nil)
        #expect(ending(23) == .connectionLost)
    }
}
