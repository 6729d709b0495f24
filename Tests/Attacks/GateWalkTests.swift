import Glibc
import Interfaces
import Location
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// Attempts to bypass the gate: the effect of every method, called in every form, for every kind of client that may not
/// have positions.
@Suite(.waits, .timeLimit(.minutes(15)), .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct GateWalkTests {
    @Test(arguments: Stranger.possible)
    func `an unauthorized client gets no position, no satellite and nothing about others from any method`(
        stranger: Stranger
    ) throws {
        let receiver = try PlayedReceiver.tenHertz()
        defer { receiver.stop() }
        let scene = stranger.isPersonal ? try PersonalScene() : nil
        let apps = try scene?.apps ?? TestApps()
        if !stranger.hasNoManifest {
            try apps.add(
                "trailmap", name: "Trail Map", program: try stranger.identified(apps),
                """
                UserTrackingUsageDescription=Finds out who buys walking boots.
                Record=yes
                [TemporaryUsage]
                Navigation=Spoken directions need your exact position.

                """)
        }
        let group =
            stranger == .operatorWithPersonalName
            ? try TemporaryControlGroup("\(PersonalScene.slice)/\(Stranger.unit)") : nil
        defer { withExtendedLifetime(group) {} }
        try writePersonalManifests(stranger, scene)
        let more = stranger == .insufficientlyProved ? "MinimumAssurance=user\n" : ""
        let daemon =
            try scene?.start(gpsd: receiver.address)
            ?? DaemonProcess(in: apps.directory, configuration: apps.configuration() + more, gpsd: receiver.address)
        // Root's, like the test's own program: a reader that is no app.
        let fed = try ReaderProgram(apps, daemon)
        defer { fed.stop() }
        let first = try #require(fed.position(), "\(daemon.log)")
        try prepare(stranger, apps, daemon)

        var channels: [(name: String, any WalkedChannel)] = []
        for method in try WalkedCalls.methods(of: Client(adopting: OtherUser.connect(to: daemon.socketPath))) {
            guard let subject = WalkedSubject.methods[method], let parameters = WalkedCalls.parameters[method] else {
                Issue.record(
                    "the reply of \(method) to a stranger is not tested: add it to `WalkedSubject.methods` and `WalkedCalls`"
                )
                continue
            }
            for form in WalkedCalls.Form.allCases {
                let channel = try stranger.channel(apps, daemon, in: group)
                let call = WalkedCalls.message(method, parameters, form)
                try channel.send(call)
                try check(channel, form, subject, stranger, "\(stranger): \(call)")
                if stranger.isProgram { channel.end() } else { channels.append((call, channel)) }
            }
        }

        // Authorized clients still get positions, and nobody else.
        for _ in 0..<5 { #expect(fed.position() != nil, "\(daemon.log)") }
        let last = try #require(fed.position())
        for (call, channel) in channels {
            let (text, isClosed) = try channel.arrived()
            #expect(!isClosed, "\(call)")
            for word in Self.reporter { #expect(!text.contains(word), "\(call) got more: \(text)") }
        }
        try checkTraces(daemon, Self.digits(first) + Self.digits(last))
    }

    /// Turns the test's own program, run as nobody, into the required stranger.
    private func writePersonalManifests(_ stranger: Stranger, _ scene: PersonalScene?) throws {
        guard let scene else { return }
        let own = """
            [App]
            Name=Trail Map
            Exec=\(try TestApps.ownProgram())
            Record=yes
            WhenInUseUsageDescription=Shows the way along the coast.
            AlwaysAndWhenInUseUsageDescription=Records the way along the coast.
            UserTrackingUsageDescription=Finds out who buys walking boots.
            [TemporaryUsage]
            Navigation=Spoken directions need your exact position.
            """
        switch stranger {
        // An empty file of the name of root's app, which is named by a unit.
        case .operatorWithPersonalName:
            try scene.write("trailmap.app", "")
            try scene.apps.directory.write(
                "apps/trailmap.app",
                own.replacing("Exec=\(try TestApps.ownProgram())", with: "UserUnit=\(Stranger.unit)"))
        // The only manifest, of a user who is not at the machine; root's restrictions forbid, or allow, an app of that
        // name.
        case .unattended, .personalOfDeniedName, .personalOfAllowedName: try scene.write("trailmap.app", own)
        default: break
        }
    }

    private func prepare(_ stranger: Stranger, _ apps: TestApps, _ daemon: DaemonProcess) throws {
        let manage = try OperatorClient(daemon)
        if !stranger.isUndecided {
            try manage.authorize("trailmap", stranger == .notInUse ? .whileUsing : .always, uid: stranger.userID)
        }
        func changes(_ isDone: () throws -> Bool) rethrows { #expect(try eventually { try isDone() }) }
        switch stranger {
        case .unidentified, .undetermined, .notInUse, .insufficientlyProved, .operatorWithPersonalName, .withoutAccount,
            .unattended, .foreignNamespace, .forgedProgram:
            break
        case .personalOfDeniedName:
            try apps.restrict("[Restrictions]\nDenyApps=trailmap\n")
            try isRestricted(stranger, apps, daemon)
        case .personalOfAllowedName:
            try apps.restrict("[Restrictions]\nAllowOnlyApps=trailmap\n")
            try isRestricted(stranger, apps, daemon)
        case .removedAccount:
            let app = try Client(adopting: OtherUser.connect(to: daemon.socketPath, as: stranger.userID))
            let known = try app.call(LocationInterface.Method.getAuthorization.rawValue, timeout: .seconds(60))
            #expect(known["authorization"]?["status"] == "authorizedAlways")
            try apps.directory.overwrite("passwd", "root:x:0:0::/root:/bin/sh\n")
            let isRemoved = try eventually(within: Patience.daemon) {
                let reply = try manage.call(.listUsers)
                return reply["users"]?.arrayValue?.compactMap(KnownUser.init).contains { $0.state == "removed" } == true
            }
            #expect(isRemoved, "\(daemon.log)")
        case .ambiguous:
            try apps.add("other", name: "Other", program: try TestApps.ownProgram())
            try changes { try manage.app("other") != nil }
        case .denied: try manage.authorize("trailmap", .deny, uid: OtherUser.nobody)
        case .restricted:
            try apps.restrict("[Restrictions]\nDenyApps=trailmap\n")
            try changes { try manage.app("trailmap")?.status == .restricted }
        case .unreadableRestriction:
            try apps.restrict("[Restrictions]\nForbidRecordin=yes\n")
            try changes { try manage.app("trailmap")?.status == .restricted }
        case .servicesOff:
            _ = try manage.client.call(
                ManageInterface.Method.setServicesEnabled.rawValue, ["enabled": false], timeout: .seconds(60))
        case .manifestRemoved:
            let app = try Client(adopting: OtherUser.connect(to: daemon.socketPath))
            let known = try app.call(LocationInterface.Method.getAuthorization.rawValue, timeout: .seconds(60))
            #expect(known["authorization"]?["status"] == "authorizedAlways")
            #expect(unlink(apps.directory.file("apps/trailmap.app")) == 0)
            try changes { try manage.app("trailmap")?.manifest == nil }
        }
    }

    private func isRestricted(_ stranger: Stranger, _ apps: TestApps, _ daemon: DaemonProcess) throws {
        let isKnown = try eventually {
            let channel = try stranger.channel(apps, daemon)
            try channel.send(WalkedCalls.message("io.waymark.Location.GetAuthorization", "{}", .plain))
            return try channel.next(seconds: 60)?.contains("\"restricted\"") == true
        }
        #expect(isKnown, "\(daemon.log)")
    }

    private static let reporter = [
        "latitude\":", "longitude\":", "satellites\":", "Heading\":", "serviceStarted", "fixAcquired",
    ]

    private func check(
        _ channel: any WalkedChannel, _ form: WalkedCalls.Form, _ subject: WalkedSubject, _ stranger: Stranger,
        _ call: String
    ) throws {
        if form == .oneway {
            // The reply to the next call is the first message that arrives.
            try channel.send(#"{"method":"org.varlink.service.GetInfo"}"#)
        }
        let isSilent =
            switch subject {
            case .positions: ["Satellites", "Visits", "Heading"].contains(where: { call.contains($0) })
            case .regionEvents: true
            default: false
            }
        if isSilent, form == .more, stranger == .notInUse {
            // This kind of stream cannot report why nothing arrives.
            return #expect(try channel.next(seconds: 1) == nil, "\(call)")
        }
        let text = try #require(try channel.next(seconds: Patience.daemon), "no reply to \(call)")
        let reply = try #require(try text.utf8.split(separator: 0).first.map { try Reply(parsing: Array($0)) })
        if case .ownRegions = subject, form != .oneway {
            // The coordinates are the app's own.
            let known = reply.error == nil ? try RegionsInterface.Show.reply(reply.parameters).regions : []
            for region in known {
                #expect(
                    region.state == .unknown && region.reason == .unauthorized && region.since == nil,
                    "\(call): \(text)")
            }
        } else {
            for word in Self.reporter { #expect(!text.contains(word), "\(call): \(text)") }
        }
        func refuses(_ name: ErrorName) {
            #expect(reply.error == name.rawValue, "\(call): \(text)")
            #expect(reply.parameters["message"]?.stringValue?.isEmpty == false, "\(call): \(text)")
            #expect(!text.contains("eceiver"), "\(call) mentions the receiver: \(text)")
        }
        func answers() {
            #expect(reply.error == nil, "\(call): \(text)")
            if let authorization = reply.parameters["authorization"] {
                #expect(authorization["status"] == stranger.status, "\(call): \(text)")
            }
        }
        if form == .oneway {
            return #expect(reply.parameters["product"] == "waymarkd", "\(call) got a reply: \(text)")
        }
        if form == .plain && reply.error == "org.varlink.service.ExpectedMore" { return }
        switch subject {
        case .positions where stranger == .notInUse:
            #expect(reply.error == nil && reply.parameters["update"]?["diagnostics"] == ["insufficientlyInUse"])
        case .position, .positions: refuses(stranger.refusal)
        case .app where stranger.isApp: answers()
        case .app: refuses(stranger.refusal)
        case .appInUse: refuses(stranger.isApp ? .notInUse : stranger.refusal)
        case .operators(let name): refuses(name)
        case .readsOwn where stranger.isApp: answers()
        case .readsOwn: refuses(.journalNotOperator)
        case .recorded where !stranger.isApp, .noRecording where !stranger.isApp,
            .ofRecordingApp where !stranger.isApp:
            refuses(.recordingNotAllowed)
        case .recorded where stranger != .notInUse: refuses(stranger.refusal)
        case .recorded, .noRecording: refuses(.recordingNoSuchRecording)
        case .ofUploader where !stranger.isApp: refuses(.uploadsNotAllowed)
        case .readsOwnUploads where !stranger.isApp: refuses(.uploadsNotOperator)
        case .ofAppWithRegions where !stranger.isApp, .noRegions where !stranger.isApp,
            .ownRegions where !stranger.isApp, .regionEvents where !stranger.isApp:
            refuses(.regionsNotAllowed)
        case .ofSleepingApp where !stranger.isApp, .notWoken where !stranger.isApp: refuses(.wakingNotAllowed)
        case .ofIdentifiedApp where !stranger.isApp, .advertisingIdentifier where !stranger.isApp,
            .ofPerson where stranger == .removedAccount || stranger == .operatorWithPersonalName:
            refuses(.identityNotAllowed)
        case .advertisingIdentifier:
            #expect(reply.parameters["identifier"]?.stringValue == "\(UniqueID.zero)", "\(call): \(text)")
        case .ofPerson: #expect(reply.parameters["wasReset"] == false, "\(call): \(text)")
        case .ownLock where stranger.isApp || stranger == .removedAccount || stranger == .operatorWithPersonalName:
            refuses(.protectionNotOperator)
        case .ownLock:
            let user = reply.parameters["status"]?["user"]
            let isOwn = user?.integerValue == Int64(stranger.userID)
            #expect(isOwn || reply.error?.hasPrefix("io.waymark.Protection.") == true, "\(call): \(text)")
        case .noRegions(let name), .notWoken(let name): refuses(name)
        case .regionEvents: refuses(stranger.refusal)
        case .ofRecordingApp, .ofUploader, .readsOwnUploads, .ofAppWithRegions, .ownRegions, .ofSleepingApp,
            .ofIdentifiedApp:
            answers()
        case .anybody: answers()
        }
    }

    /// Checks that no log, metric, event or file contains the position of the machine.
    private func checkTraces(_ daemon: DaemonProcess, _ digits: [String]) throws {
        let client = try Client(path: daemon.socketPath)
        let events = try client.call(JournalInterface.Method.read.rawValue, timeout: .seconds(60))
        #expect(!"\(events)".contains("a stranger was here"), "a stranger's remark was written")
        let status = try #require(
            try DaemonStatus(client.call(ManageInterface.Method.status.rawValue)["status"] ?? .null))
        #expect(status.clients.refused > 0)
        for text in [daemon.log, "\(events)", "\(try client.call(ManageInterface.Method.metrics.rawValue))"] {
            for digits in digits { #expect(!Bytes.containsNumber(digits, in: Array(text.utf8))) }
        }
        #expect(try daemon.stop() == .exited(0))
        let stored = try Self.contents(daemon.directory.file("state/journal.db"))
        for digits in digits { #expect(!Bytes.containsNumber(digits, in: stored)) }
    }

    /// The beginnings of a position's coordinates, to hundreds of metres.
    private static func digits(_ position: Position) -> [String] {
        [position.coordinate.latitude, position.coordinate.longitude].map { value in
            let text = "\(abs(value))"
            return String(text.prefix((text.firstIndex(of: ".")?.utf16Offset(in: text) ?? 0) + 4))
        }
    }

    private static func contents(_ path: String) throws -> [UInt8] {
        let file = try OwnedDescriptor("open", subject: path) { Glibc.open(path, O_RDONLY | O_CLOEXEC) }
        return try BoundedFile.bytes(from: file.number, limit: 16 << 20)
    }
}
