import Testing
import Varlink

struct MessageTests {
    @Test func `a call survives encoding`() throws {
        let requests = [
            CallRequest(method: "a.b.C"), CallRequest(method: "a.b-c.D", parameters: ["x": [1, nil]], more: true),
            CallRequest(method: "a.b.C", oneway: true), CallRequest(method: "a.b.C", upgrade: true),
        ]
        for request in requests {
            #expect(request.encoded.last == 0)
            #expect(try CallRequest(parsing: request.encoded.dropLast()) == request)
        }
        #expect(requests[1].interfaceName == "a.b-c")
        #expect(requests[1].methodName == "D")
        #expect(CallRequest(method: "C").interfaceName == "")
    }

    @Test func `a reply is the same however it is made`() {
        let text = "{\"parameters\":{\"n\":1},\"continues\":true}\0"
        let replies = [
            EncodedReply(continues: true) { $0.member("n", 1) },
            EncodedReply(parameters: Array("{\"n\":1}".utf8), continues: true),
            EncodedReply(["n": 1], continues: true),
        ]
        for reply in replies {
            #expect(String(decoding: reply.bytes, as: UTF8.self) == text)
            #expect(reply.final == EncodedReply(["n": 1]))
            #expect(reply.final.final == reply.final)
        }
    }

    static let errors: [(ServiceError, String, String)] = [
        (.interfaceNotFound("x"), "InterfaceNotFound", "interface"), (.methodNotFound("x"), "MethodNotFound", "method"),
        (.methodNotImplemented("x"), "MethodNotImplemented", "method"),
        (.invalidParameter("x"), "InvalidParameter", "parameter"), (.permissionDenied, "PermissionDenied", ""),
        (.expectedMore, "ExpectedMore", ""),
    ]

    @Test(arguments: errors)
    func `a standard error is as its interface defines it`(error: ServiceError, name: String, field: String) throws {
        let interface = try InterfaceDescription(parsing: ServiceInfo.interfaceText)
        let fields = try #require(interface.errors[name])
        let reply = try Reply(parsing: error.reply.bytes.dropLast())
        #expect(reply.error == "org.varlink.service." + name)
        try interface.validate(reply.parameters, against: fields)
        #expect(fields.map(\.name) == (field.isEmpty ? [] : [field]))
    }
}
