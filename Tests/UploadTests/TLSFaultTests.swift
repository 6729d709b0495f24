import Testing
import Upload

struct TLSFaultTests {
    @Test(arguments: [
        (9, TLSFault.notYetValid), (10, .expired), (18, .unknownIssuer), (19, .unknownIssuer), (20, .unknownIssuer),
        (7, .unknownIssuer),
        (21, .unknownIssuer), (23, .revoked), (62, .wrongName), (64, .wrongName), (26, .untrusted),
    ])
    func `a verification result identifies the fault of the certificate`(code: Int, fault: TLSFault) {
        #expect(TLSFault(verification: code) == fault)
    }

    @Test func `a successful verification is no fault`() {
        #expect(TLSFault(verification: 0) == nil)
    }

    @Test(
        arguments: [
            (42, TLSFault.certificateRefused), (45, .certificateRefused), (48, .certificateRefused),
            (116, .certificateRefused), (40, .handshake), (70, .handshake), (80, .handshake),
        ] as [(UInt8, TLSFault)])
    func `an alert identifies the objection of the other side`(code: UInt8, fault: TLSFault) {
        #expect(TLSFault(alert: code) == fault)
    }

    @Test(arguments: TLSFault.allCases)
    func `every fault is explained in a sentence`(fault: TLSFault) {
        #expect(fault.explanation.hasSuffix("."))
    }
}
