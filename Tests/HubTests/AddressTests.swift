import InterfaceGenerator
import JSONText
import Records
import TestSupport
import Testing
import Varlink

@testable import Hub

@Suite struct AddressTests {
    /// One address of each kind, with the methods that it has.
    static let addresses: [(path: String, methods: [String])] = [
        ("/v1", ["GET"]), ("/v1/openapi.json", ["GET"]), ("/v1/join", ["POST"]), ("/v1/device", ["GET", "DELETE"]),
        ("/v1/pushes", ["GET", "POST"]), ("/v1/{environment}/{container}/device", ["PUT", "DELETE"]),
        ("/v1/{environment}/{container}/private/changes", ["GET"]),
        ("/v1/{environment}/{container}/private/zones", ["POST"]),
        ("/v1/{environment}/{container}/private/subscriptions", ["GET"]),
        ("/v1/{environment}/{container}/private/subscriptions/{subscription}", ["PUT", "DELETE"]),
        ("/v1/{environment}/{container}/shared/changes", ["GET"]),
        ("/v1/{environment}/{container}/shared/zones", ["GET"]),
        ("/v1/{environment}/{container}/shared/subscriptions", ["GET"]),
        ("/v1/{environment}/{container}/shared/subscriptions/{subscription}", ["PUT", "DELETE"]),
        ("/v1/{environment}/{container}/public/subscriptions", ["GET"]),
        ("/v1/{environment}/{container}/public/subscriptions/{subscription}", ["PUT", "DELETE"]),
        ("/v1/{environment}/{container}/zones/{owner}/{zone}/changes", ["GET"]),
        ("/v1/{environment}/{container}/zones/{owner}/{zone}/records", ["GET", "POST"]),
        ("/v1/{environment}/{container}/zones/{owner}/{zone}/records/{record}", ["GET", "PUT", "PATCH", "DELETE"]),
        (
            "/v1/{environment}/{container}/zones/{owner}/{zone}/assets/{digest}",
            ["HEAD", "PUT", "PATCH", "DELETE"]
        ),
        (
            "/v1/{environment}/{container}/zones/{owner}/{zone}/records/{record}/assets/{digest}",
            ["GET", "HEAD"]
        ),
        ("/v1/{environment}/{container}/zones/{owner}/{zone}/query", ["POST"]),
        ("/v1/{environment}/{container}/zones/{owner}/{zone}/participants", ["GET", "POST"]),
        ("/v1/team/{container}", ["GET"]), ("/v1/team/{container}/{account}", ["PUT", "DELETE"]),
        ("/v1/development/{container}/schema", ["GET", "PUT"]), ("/v1/production/{container}/schema", ["GET", "POST"]),
        ("/v1/production/{container}/schema/differences", ["GET"]),
    ]

    /// An address with names in place of its parameters.
    static func filled(_ path: String, owner: String = "alice", zone: String = "notes") -> String {
        [
            "{environment}": "production", "{container}": "org.example.notes", "{owner}": owner, "{zone}": zone,
            "{record}": "n1", "{subscription}": "all", "{account}": "bob",
            "{digest}": String(repeating: "0a", count: 32),
        ].reduce(path) { $0.replacing($1.key, with: $1.value) }
    }

    private static func parts(_ path: String) -> [String] { path.split(separator: "/").map(String.init) }

    @Test func `the OpenAPI document has every address with its methods, and no other`() throws {
        let document = try JSON.parse(HubDescription.openAPI, maximumDepth: 64, maximumValues: 100_000)
        let paths = try #require(document["paths"]?.objectValue)
        var described: [String: Set<String>] = [:]
        for member in paths {
            let (path, value) = (member.key, member.value)
            let methods = (value.objectValue ?? []).map(\.key).filter { $0 != "parameters" }
            described[path] = Set(methods.map { $0.uppercased() })
        }
        #expect(described == Dictionary(uniqueKeysWithValues: Self.addresses.map { ($0.path, Set($0.methods)) }))
        for (path, methods) in Self.addresses {
            #expect(Resource(path: Self.parts(Self.filled(path)))?.methods == methods, "\(path)")
        }
    }

    @Test func `every reference in the OpenAPI document exists, and every operation has an error`() throws {
        let document = try JSON.parse(HubDescription.openAPI, maximumDepth: 64, maximumValues: 100_000)
        func check(_ value: JSON) {
            if let reference = value["$ref"]?.stringValue {
                var place: JSON? = document
                for part in reference.split(separator: "/").dropFirst() { place = place?[String(part)] }
                #expect(place != nil, "\(reference)")
            }
            for member in value.objectValue ?? [] { check(member.value) }
            for element in value.arrayValue ?? [] { check(element) }
        }
        check(document)
        for path in try #require(document["paths"]?.objectValue) {
            for operation in path.value.objectValue ?? [] where operation.key != "parameters" {
                let isComplete = operation.value["responses"]?["401"] != nil && operation.value["summary"] != nil
                #expect(isComplete, "\(operation.key) \(path.key)")
            }
        }
    }

    @Test func `the generated types of the administration match its text`() throws {
        let file = try GeneratedText("Sources/Hub/Control/Generated/HubInterface.swift")
        #expect(file.text == (try InterfaceGenerator(HubInterface.text).text()), "run `make interfaces`")
        for (name, fields) in try InterfaceDescription(parsing: HubInterface.text).errors {
            #expect(fields.contains { $0.name == "message" }, "\(name) has no message")
        }
    }

    @Test(arguments: [
        "/", "/v2", "/v1/x", "/v1/production", "/v1/production/org.example.notes", "/v1/test/org.example.notes/device",
        "/v1/production/_x/device", "/v1/production/a/zones/alice", "/v1/production/a/zones/alice/notes",
        "/v1/production/a/zones/alice/notes/records/n1/x", "/v1/production/a/zones/_alice/notes/records",
        "/v1/production/a/zones/alice/_notes/records", "/v1/production/a/zones/alice/notes/records/_n1",
        "/v1/production/a/public/changes", "/v1/production/a/private/x", "/v1/team", "/v1/team/a/b/c",
        "/v1/team/_a", "/v1/development/a/schema/differences", "/v1/production/a/schema/x",
        "/v1/production/a/private/changes/x",
    ])
    func `what is no address is found nowhere`(path: String) {
        #expect(Resource(path: Self.parts(path)) == nil)
    }

    @Test func `a code is read as a person types it, and a token only as it is`() throws {
        let bytes = Array<UInt8>(0..<10)
        let code = InvitationCode(bytes)
        #expect(code.text == "000G-40R4-0M30-E209")
        for typed in [code.text, code.text.lowercased(), "OOOG 4or4 om3o e2o9", "000G40R40M30E209"] {
            #expect(InvitationCode(typed)?.bytes == bytes, "\(typed)")
        }
        for typed in ["", "000G-40R4-0M30-E20", "000G-40R4-0M30-E2090", "000G-40R4-0M30-E20U", "000G-40R4-0M30-E20é"] {
            #expect(InvitationCode(typed) == nil, "\(typed)")
        }
        for _ in 0..<100 {
            let bytes = (0..<10).map { _ in UInt8.random(in: 0...255) }
            #expect(InvitationCode(InvitationCode(bytes).text)?.bytes == bytes)
        }
        let token = DeviceToken((0..<32).map { UInt8($0) })
        #expect(DeviceToken(authorization: "Bearer \(token.text)")?.bytes == token.bytes)
        #expect(DeviceToken(authorization: "bearer  \(token.text)")?.bytes == token.bytes)
        for header in [
            "", "Bearer", token.text, "Basic \(token.text)", "Bearer \(token.text)0", "Bearer \(token.text) x",
        ] {
            #expect(DeviceToken(authorization: header) == nil, "\(header)")
        }
    }

    @Test func `an ETag is compared as RFC 9110 says`() throws {
        let tag = EntityTag(ChangeTag(incarnation: 3, counter: 28))
        #expect(tag.header.value == "\"3-1c\"")
        #expect(EntityTag(header: " \"3-1c\" ")?.tag == tag.tag)
        for header in ["3-1c", "W/\"3-1c\"", "\"\"", "\"3\"", "*", "\"3-1c\", \"3-1d\""] {
            #expect(EntityTag(header: header) == nil, "\(header)")
        }
        for header in ["\"3-1c\"", "W/\"3-1c\"", "\"1-1\", \"3-1c\"", "*"] {
            #expect(tag.isListed(in: header), "\(header)")
        }
        for header in [nil, "", "\"3-1d\"", "3-1c"] as [String?] { #expect(!tag.isListed(in: header)) }
    }

    @Test(
        arguments: [
            ("8743", nil, 8_743), ("127.0.0.1:80", "127.0.0.1", 80), ("[::1]:443", "::1", 443), (":::443", "::", 443),
            ("0.0.0.0:0", "0.0.0.0", 0),
        ] as [(String, String?, UInt16)])
    func `a place to listen is a port, perhaps with an address`(text: String, address: String?, port: UInt16) throws {
        let place = try #require(ListenPlace(text))
        #expect(place.address == address && place.port == port)
    }

    @Test(arguments: ["", "x", "70000", "host:80", "127.0.0.1", "127.0.0.1:x", "[::1]"])
    func `anything else is refused`(text: String) { #expect(ListenPlace(text) == nil) }
}
