import Platform
import Records
import Storage
import TestSupport
import Testing

@testable import Sync

/// Joining and leaving an account, with a hub that replies as the test defines.
@Suite(.timeLimit(.minutes(15))) struct HubMembershipTests {
    private static let token = String(repeating: "5f", count: 32)
    private static let key = String(repeating: "a7", count: 32)

    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        LoopThread.start()
    }

    /// The reply to a machine that joins, with another value of a member, or without the member.
    private static func joined(_ name: String = "", _ value: String? = nil) -> String {
        var members = [
            "account": "\"alice\"", "device": "\"laptop\"", "token": "\"\(token)\"", "identifierKey": "\"\(key)\"",
        ]
        if !name.isEmpty { members[name] = value }
        return "{" + members.map { "\"\($0.key)\":\($0.value)" }.sorted().joined(separator: ",") + "}"
    }

    private func cache() throws -> SyncCache { try SyncCache(folder: folder.path) }

    @DaemonActor
    private func membership(_ cache: SyncCache) throws -> HubMembership {
        let membership = HubMembership(cache, authorityFile: "", clock: SystemClock())
        try membership.load()
        return membership
    }

    @DaemonActor
    private static func join(
        _ membership: HubMembership, _ server: ScriptedServer
    ) async throws -> Result<SyncAccount, JoinFailure> {
        let invitation = try HubInvitation(hub: "http://127.0.0.1:\(server.port)", code: "1234-5678")
        return await withCheckedContinuation { continuation in
            membership.join(invitation) { continuation.resume(returning: $0) }
        }
    }

    @Test @DaemonActor func `an account is joined with the code, is in the copy, and is left again`() async throws {
        let server = try ScriptedServer { request in
            [request.head.hasPrefix("POST") ? .answer(200, Self.joined()) : .answer(204)]
        }
        defer { server.stop() }
        let cache = try cache()
        let membership = try membership(cache)
        #expect(membership.account == nil)
        let account = try await Self.join(membership, server).get()
        #expect(membership.account == account)
        #expect(account.id == AccountDevice(named("alice"), named("laptop")) && account.token == Self.token)
        #expect(account.identifierKey == [UInt8](repeating: 0xA7, count: 32) && account.copy.utf8.count == 32)
        #expect(try #require(server.requests.first).head.hasPrefix("POST /v1/join "))
        #expect(String(decoding: try #require(server.requests.first).body, as: UTF8.self) == #"{"code":"1234-5678"}"#)
        #expect(try self.membership(cache).account == account)
        #expect(try await Self.join(membership, server) == .failure(.alreadyJoined))
        #expect(server.requests.count == 1)

        try membership.leave()
        #expect(membership.account == nil)
        #expect(try self.membership(cache).account == nil)
        #expect(try await eventually { () async throws -> Bool in server.requests.count == 2 })
        let notice = try #require(server.requests.last).head
        #expect(notice.hasPrefix("DELETE /v1/device ") && notice.contains("Authorization: Bearer \(Self.token)"))
        // Another copy of the same account.
        #expect(try await Self.join(membership, server).get().copy != account.copy)
    }

    @Test @DaemonActor func `a reply that lacks something joins nothing`() async throws {
        let replies =
            ["account", "device", "token", "identifierKey"].flatMap { [Self.joined($0), Self.joined($0, "7")] }
            + [
                Self.joined("account", "\"a/b\""), Self.joined("token", "\"a b\""),
                Self.joined("token", "\"\(String(repeating: "x", count: 201))\""),
                Self.joined("identifierKey", "\"\(String(repeating: "a7", count: 31))\""),
                Self.joined("identifierKey", "\"\(String(repeating: "zz", count: 32))\""), "", "[]", "{",
                Self.joined("more", "[[[[[1]]]]]"),
            ]
        let cache = try cache()
        let membership = try membership(cache)
        for reply in replies {
            let server = try ScriptedServer { _ in [.answer(200, reply)] }
            defer { server.stop() }
            let strange = JoinFailure.hub(HubReply.strange(status: 200).problem ?? "")
            #expect(try await Self.join(membership, server) == .failure(strange), "\(reply)")
            #expect(try self.membership(cache).account == nil)
        }
    }

    @Test @DaemonActor func `a code that the hub does not accept, and a hub that cannot, are two failures`()
        async throws
    {
        let cache = try cache()
        let membership = try membership(cache)
        let answers: [(Int, String, JoinFailure?)] = [
            (401, #"{"error":"unknownCode","message":"The code is not known."}"#, .code("The code is not known.")),
            (404, #"{"error":"unknownCode","message":"It has expired."}"#, .code("It has expired.")), (404, "", nil),
            (503, #"{"error":"unavailable","message":"The disk is full."}"#, nil),
        ]
        for (status, body, failure) in answers {
            let server = try ScriptedServer { _ in [.answer(status, body)] }
            defer { server.stop() }
            switch try await Self.join(membership, server) {
            case .success: Issue.record("joined after \(status)")
            case .failure(let found):
                if let failure {
                    #expect(found == failure)
                    continue
                }
                guard case .hub(let message) = found else {
                    Issue.record("\(status): \(found)")
                    continue
                }
                #expect(!message.isEmpty)
            }
        }
        #expect(membership.account == nil)
    }

    @Test @DaemonActor func `of two invitations that are accepted at the same time the first reply decides`()
        async throws
    {
        let server = try ScriptedServer { request in
            (request.connection == 1 ? [.wait] : []) + [.answer(200, Self.joined())]
        }
        defer { server.stop() }
        let membership = try membership(try cache())
        let invitation = try HubInvitation(hub: "http://127.0.0.1:\(server.port)", code: "1234-5678")
        var late: Result<SyncAccount, JoinFailure>?
        membership.join(invitation) { late = $0 }
        #expect(try await eventually { () async throws -> Bool in server.requests.count == 1 })
        let account = try await Self.join(membership, server).get()
        server.release()
        #expect(try await eventually { () async throws -> Bool in late != nil })
        #expect(late == .failure(.alreadyJoined) && membership.account == account)
    }

    @Test @DaemonActor func `an account that cannot be stored is not joined`() async throws {
        let server = try ScriptedServer { _ in [.answer(200, Self.joined())] }
        defer { server.stop() }
        let cache = try cache()
        let membership = try membership(cache)
        cache.close(because: StorageError("write", .closed, "for the test"))
        guard case .failure(.storage(let message)) = try await Self.join(membership, server) else {
            Issue.record("joined")
            return
        }
        #expect(message.contains("for the test") && membership.account == nil)
    }

    @Test @DaemonActor func `a hub that has removed this machine is not notified`() async throws {
        let server = try ScriptedServer { _ in [.answer(200, Self.joined())] }
        defer { server.stop() }
        let cache = try cache()
        let membership = try membership(cache)
        _ = try await Self.join(membership, server).get()
        try membership.markRemoved()
        #expect(membership.account?.isRemoved == true)
        #expect(try self.membership(cache).account?.isRemoved == true)
        try membership.leave()
        // The next request is that of a machine that joins again: none was sent in between.
        _ = try await Self.join(membership, server).get()
        #expect(server.requests.map { $0.head.prefix(4) } == ["POST", "POST"])
    }
}
