import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// A user's manifest that tries to override a manifest of the system.
@Suite(
    .waits, .enabled(if: PersonalScene.isPossible, "starting programs as another user needs root"),
    .enabled(if: TemporaryControlGroup.hierarchy != nil, "no control group can be made here"))
struct PersonalManifestTests {
    private let scene: PersonalScene
    private let program: String
    private let unit = "umap-\(getpid())-\(Int.random(in: 0..<1_000_000_000)).service"

    init() throws {
        scene = try PersonalScene()
        program = try scene.apps.program("umap")
        try scene.apps.directory.write(
            "apps/umap.app",
            "[App]\nName=Union Map\nUserUnit=\(unit)\nWhenInUseUsageDescription=Shows the way to the harbour.\n")
    }

    /// A program of a member of the operators' group, in a group of control.
    private func client(_ daemon: DaemonProcess, _ program: String, in group: TemporaryControlGroup) throws -> AppClient
    {
        let client = try AppClient(
            program, to: daemon.socketPath, as: PersonalScene.person, groups: [PersonalScene.operators()])
        try group.write("\(client.processID)", to: "cgroup.procs")
        return client
    }

    /// The user's manifest, with a text that shows that it was read.
    private static let files: [(name: String, text: String)] = [
        ("umap.app", ""),
        ("umap.app", "nonsense"),
        ("umap.app", "[App]\nName=Mine\nExec=/bin/true\nWhenInUseUsageDescription=Shows something else.\n"),
        ("umap.app", "[App]\nName=Mine\nUserUnit=umap-*.service\nWhenInUseUsageDescription=Shows something else.\n"),
        ("other.app", "[App]\nName=Mine\nUserUnit=umap-*.service\nWhenInUseUsageDescription=Shows something else.\n"),
    ]

    @Test(arguments: files.indices)
    func `a user's file neither frees a confined app nor makes it an operator`(index: Int) throws {
        let (name, text) = Self.files[index]
        let daemon = try scene.start()
        let group = try TemporaryControlGroup("\(PersonalScene.slice)/\(unit)")
        var clients: [AppClient] = []
        func expectConfined() throws {
            let client = try client(daemon, program, in: group)
            clients.append(client)
            for method in [ManageInterface.Method.status, .listApps, .listRequests] {
                #expect(
                    try client.call(method.rawValue).error == ErrorName.manageNotOperator.rawValue, "\(method)")
            }
            let authorize = try client.call(
                ManageInterface.Method.authorize.rawValue, #"{"app":"umap","status":"always"}"#)
            #expect(authorize.error == ErrorName.manageNotOperator.rawValue)
            #expect(
                try client.call(LocationInterface.Method.getPosition.rawValue).error == ErrorName.notDetermined.rawValue
            )
            let own = try client.call(LocationInterface.Method.getAuthorization.rawValue)
            #expect(own.parameters["authorization"]?["app"] == "umap", "\(own.parameters)")
        }
        try expectConfined()
        try scene.write(name, text)
        // A marker that is read after it.
        try scene.write("zmarker.app", "[App]\nName=Marker\nExec=/bin/false\n")
        #expect(try eventually { try OperatorClient(daemon).app("zmarker") != nil }, "\(daemon.log)")
        try expectConfined()
        // The existing connections have the same identity as before.
        for client in clients {
            #expect(
                try client.call(ManageInterface.Method.status.rawValue).error == ErrorName.manageNotOperator.rawValue)
        }
        #expect(try OperatorClient(daemon).app("umap")?.name == "Union Map")
        for client in clients { try client.kill() }
        withExtendedLifetime(group) {}
    }

    @Test func `a user's file of the same name does not let an app register as agent`() throws {
        let agent = try scene.apps.program("agent")
        let daemon = try scene.start(agents: [agent])
        let group = try TemporaryControlGroup("\(PersonalScene.slice)/\(unit)")
        try scene.write("umap.app", "")
        try scene.write("zmarker.app", "[App]\nName=Marker\nExec=/bin/false\n")
        let inside = try client(daemon, agent, in: group)
        let refusal = try inside.call(AgentInterface.Method.dismiss.rawValue, #"{"prompt":1}"#)
        #expect(refusal.error == ErrorName.agentNotAgent.rawValue, "\(refusal.parameters)")
        try inside.kill()
        withExtendedLifetime(group) {}
    }

    @Test func `a process of a Flatpak app is neither operator nor agent, with no manifest for it`() throws {
        let agent = try scene.apps.program("agent")
        let daemon = try scene.start(agents: [agent])
        let group = try TemporaryControlGroup(
            "\(PersonalScene.slice)/app-flatpak-org.example.Map\(Int.random(in: 0..<1_000_000))-\(getpid()).scope")
        let inside = try client(daemon, agent, in: group)
        #expect(try inside.call(ManageInterface.Method.status.rawValue).error == ErrorName.manageNotOperator.rawValue)
        let refusal = try inside.call(AgentInterface.Method.dismiss.rawValue, #"{"prompt":1}"#)
        #expect(refusal.error == ErrorName.agentNotAgent.rawValue)
        #expect(refusal.parameters["message"]?.stringValue?.contains("Flatpak") == true, "\(refusal.parameters)")
        // Known by its program alone, it would operate the daemon outside.
        try scene.apps.add("wanderer", name: "Wanderer", program: agent)
        #expect(try eventually { try OperatorClient(daemon).app("wanderer") != nil })
        let known = try client(daemon, agent, in: group)
        let own = try known.call(LocationInterface.Method.getAuthorization.rawValue)
        #expect(own.parameters["authorization"]?["app"] == "wanderer", "\(own.parameters)")
        #expect(try known.call(ManageInterface.Method.status.rawValue).error == ErrorName.manageNotOperator.rawValue)
        for client in [inside, known] { try client.kill() }
        withExtendedLifetime(group) {}
    }
}
