import Glibc
import Hub
import Interfaces
import JSONText
import Platform
import TestSupport
import Varlink

/// A waymark-hub for one test, with HTTP at one port of loopback for as long as the value exists.
package final class HubProcess: @unchecked Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    package let folder: TemporaryDirectory
    private let held: LoopbackPort
    private let control: String
    private let program: ServedProgram

    package var port: UInt16 { held.number }
    /// Its resident memory can be read by this number.
    package var processID: Int32 { program.processID }

    /// - Parameter store: The folder of what it stores; nil for one below `folder`.
    package init(more: [String] = ["--without-tls"], store: String? = nil) throws {
        folder = try TemporaryDirectory()
        held = try LoopbackPort()
        let store = store ?? folder.file("hub")
        control = "\(store)/control.sock"
        let control = control
        program = try ServedProgram(
            "waymark-hub", in: folder,
            [
                "serve", "--folder", store, "--listen", "127.0.0.1:\(held.number)", "--name", "localhost",
            ] + more
        ) { [held] in
            try LoopbackPort.connection(to: held.number) != nil
                && attempt { try Client(path: control, timeout: .seconds(5)) } != nil
        }
    }

    /// Waits until so many requests wait for a push.
    package func waitUntilWaiting(_ count: Int) throws {
        guard try eventually({ try call(HubInterface.GetStatistics()).waiting == Int64(count) }) else {
            throw Failure(description: "no request waits")
        }
    }

    /// Ends it by SIGKILL and starts it again.
    package func crash() throws { try program.crash() }

    /// Ends it in order.
    package func stop() throws { try program.stop() }

    package func start() throws { try program.start() }

    package var log: String { program.log }

    /// Calls the administration.
    package func call<Method: VarlinkMethod>(_ method: Method) throws -> Method.Reply {
        try Client(path: control, timeout: .seconds(30)).call(method, timeout: .seconds(30))
    }

    /// Invites a device, and has it join.
    package func join(_ device: String, _ account: String) throws -> HubDevice {
        let invitation = try call(HubInterface.Invite(account: account, device: device, seconds: nil))
        let code = String(invitation.code.prefix { $0 != "." })
        let anybody = HubDevice(port: port, account: account, token: nil)
        let answer = try anybody.send("POST", "/v1/join", #"{"code":"\#(code)"}"#)
        guard answer.status == 201, let token = answer.json["token"]?.stringValue else {
            throw Failure(description: "\(device) did not join: \(answer.body)")
        }
        return HubDevice(port: port, account: account, token: token)
    }

    package var anybody: HubDevice { HubDevice(port: port, account: "", token: nil) }
}

/// A device that has joined, or somebody without a token.
package struct HubDevice: Sendable {
    package static let container = "/v1/production/org.example.notes"

    package let port: UInt16
    package let account: String
    package let token: String?

    package init(port: UInt16, account: String, token: String?) {
        self.port = port
        self.account = account
        self.token = token
    }

    /// The zone `notes` of an account.
    package static func zone(_ owner: String, _ name: String = "notes") -> String {
        "\(container)/zones/\(owner)/\(name)"
    }
    package var notes: String { Self.zone(account) }

    /// Sends a request. One that changes something has a new idempotency key unless there is one.
    @discardableResult
    package func send(
        _ method: String, _ path: String, _ body: String = "", key: String? = nil, headers: [String] = [],
        seconds: Double = 60
    ) throws -> HubResponse {
        var headers = headers
        if let token { headers.append("Authorization: Bearer \(token)") }
        if method != "GET" { headers.append("Idempotency-Key: \(key ?? "\(UInt64.random(in: 0 ... .max))")") }
        let answer = try HTTPExchange.perform(
            method, path, headers: headers, body: Array(body.utf8), port: port, seconds: seconds)
        guard let answer else { throw HubProcess.Failure(description: "\(method) \(path): no answer") }
        return HubResponse(status: answer.status, headers: answer.headers, body: answer.body)
    }

    /// The JSON of a response with this status; an error for another one.
    @discardableResult
    package func json(_ method: String, _ path: String, _ body: String = "", status: Int = 200) throws -> JSON {
        let answer = try send(method, path, body)
        guard answer.status == status else {
            throw HubProcess.Failure(description: "\(method) \(path): \(answer.status) \(answer.body)")
        }
        return answer.json
    }

    /// Saves a note, and returns its change tag.
    @discardableResult
    package func save(_ name: String, _ text: String, in zone: String? = nil, tag: String? = nil) throws -> String? {
        let tag = tag.map { #","changeTag":"\#($0)""# } ?? ""
        let body =
            #"{"save":[{"record":{"name":"\#(name)","type":"Note","fields":{"text":{"string":"\#(text)"}}\#(tag)}}]}"#
        let answer = try json("POST", (zone ?? notes) + "/records", body)
        return answer["outcomes"]?[0]?["saved"]?["changeTag"]?.stringValue
    }

    /// The names and texts of the records that were changed since a token, and the next token.
    package func changes(since token: String? = nil, in zone: String? = nil) throws -> (
        changed: [String: String], deleted: [String], token: String
    ) {
        var changed: [String: String] = [:]
        var deleted: [String] = []
        var next = token
        while true {
            let page = try json("GET", (zone ?? notes) + "/changes" + (next.map { "?token=\($0)" } ?? ""))
            for record in page["changed"]?.arrayValue ?? [] {
                let name = record["name"]?.stringValue ?? ""
                changed[name] = record["fields"]?["text"]?["string"]?.stringValue ?? ""
            }
            deleted += (page["deleted"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
            next = page["token"]?.stringValue
            guard page["moreComing"]?.boolValue == true else { break }
        }
        return (changed, deleted, next ?? "")
    }
}

package struct HubResponse {
    package let status: Int
    package let headers: [String: String]
    package let body: String

    package var json: JSON { attempt { () throws(JSONError) in try JSON.parse(Array(body.utf8)) } ?? .null }
}
