// swift-tools-version: 6.2
import PackageDescription

/// Every target is Swift 6, with any warning an error.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

func library(
    _ name: String, path: String? = nil, excluding: [String] = [], _ dependencies: [Target.Dependency] = [],
    resources: [Resource] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: path, exclude: excluding, resources: resources,
        swiftSettings: strict)
}

func program(
    _ name: String, path: String? = nil, excluding: [String] = [], _ dependencies: [Target.Dependency]
) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path, exclude: excluding, swiftSettings: strict)
}

func tests(
    _ name: String, path: String? = nil, excluding: [String] = [], _ dependencies: [Target.Dependency]
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestTraits"], path: path, exclude: excluding, swiftSettings: strict)
}

let package = Package(
    name: "waymark",
    products: [
        .library(name: "Waymark", targets: ["Waymark"]),
        // The objects of libwaymark.so, which Scripts/link-library links.
        .library(name: "LibWaymark", type: .static, targets: ["LibWaymark"]),
        .executable(name: "waymarkd", targets: ["waymarkd"]),
        .executable(name: "waymark", targets: ["waymark"]),
        .executable(name: "waymark-agent", targets: ["waymark-agent"]),
        .executable(name: "waymark-resolver", targets: ["waymark-resolver"]),
        .executable(name: "waymark-inspector", targets: ["waymark-inspector"]),
        .executable(name: "waymark-waker", targets: ["waymark-waker"]),
        .executable(name: "waymark-simulator", targets: ["waymark-simulator"]),
        .executable(name: "waymark-upload", targets: ["waymark-upload"]),
        .executable(name: "waymark-hub", targets: ["waymark-hub"]),
        .executable(name: "waymark-sync", targets: ["waymark-sync"]),
        .executable(name: "waymark-upload-test-server", targets: ["waymark-upload-test-server"]),
    ],
    targets: [
        // C libraries. Each is called from one Swift folder only.
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CGPS", pkgConfig: "libgps", providers: [.apt(["libgps-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CINI", pkgConfig: "inih", providers: [.apt(["libinih-dev"])]),
        .systemLibrary(
            name: "CNetlink", pkgConfig: "libnl-3.0", providers: [.apt(["libnl-3-dev"])]),
        .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),

        // Foundations, which import nothing of ours but durations.
        library("Durations"),
        library("Platform", ["CLinux", "CSystemd", "Durations"]),
        library("Location"),
        library("NetworkPaths"),
        library("Events", excluding: ["event-kinds.txt"]),
        library("JSONText"),
        library("Containers"),

        // Parts, each above the foundations only.
        library("Configuration", ["CINI", "Durations", "Location", "Platform"]),
        library("Varlink", ["CLinux", "Durations", "JSONText", "Platform"]),
        library("Accounts", ["Durations", "Platform", "Varlink"]),
        library("GPSD", ["CGPS", "CLinux", "JSONText", "Location", "NetworkPaths", "Platform"]),
        library("Tracking", ["Location"]),
        library("Regions", ["Location", "Tracking"]),
        library("GeoJSON", ["JSONText", "Location", "Regions"]),
        library("Authorization", ["Containers", "Events", "Location"]),
        library("Waking", ["Authorization", "Containers", "Durations", "JSONText", "Location"]),
        library("Identities", ["Authorization", "Durations", "JSONText", "Location"]),
        library("Manifests", ["Authorization", "CLinux", "Configuration", "Containers", "Location", "Platform"]),
        library("Inspector", ["CLinux", "Manifests", "Platform"]),
        library("Cryptography", ["CSodium", "Platform"]),
        library("Protection", ["Cryptography", "JSONText", "Location", "Platform"]),
        library("Records", ["Containers", "Durations", "JSONText", "Location"]),
        library("Reachability", ["Durations", "NetworkPaths"]),
        library("Resolver", ["CLinux", "NetworkPaths"]),
        library("Upload", ["Durations", "JSONText", "Location", "NetworkPaths"]),
        library("HTTP", ["CCurl", "Durations", "JSONText", "Platform", "Upload"]),
        library("HTTPServing", ["CLinux", "CMicroHTTPD", "Durations", "Platform"]),
        library(
            "MQTT",
            ["CMosquitto", "COpenSSL", "Durations", "NetworkPaths", "Platform", "Resolver", "Upload"]),
        library("Destinations", ["Configuration", "GeoJSON", "Location", "Platform", "Regions", "Upload"]),
        library("Netlink", ["CNetlink", "NetworkPaths", "Platform", "Reachability"]),
        library("Storage", ["CLinux", "CSQLite", "Cryptography", "Durations", "Location", "Platform"]),
        library(
            "Journal",
            [
                "Authorization", "Cryptography", "Durations", "Events", "JSONText", "Location", "Platform",
                "Protection",
                "Storage",
            ]),

        library("RecordTables", ["Containers", "Location", "Records"]),
        library("RecordsSQLite", ["Platform", "RecordTables", "Records", "Storage"]),
        library(
            "RecordsPostgreSQL",
            ["CPostgreSQL", "Cryptography", "Durations", "Platform", "RecordTables", "Records"]),
        library("Certificates", ["CGnuTLS", "Platform"]),
        library("RegionStorage", ["Cryptography", "Location", "Platform", "Regions", "Storage"]),

        // The contract between daemon and clients.
        library(
            "Interfaces", ["JSONText", "Location", "NetworkPaths", "Platform", "Varlink"],
            resources: [
                .embedInCode("io.waymark.Location.varlink"),
                .embedInCode("io.waymark.Agent.varlink"),
                .embedInCode("io.waymark.Manage.varlink"),
                .embedInCode("io.waymark.Journal.varlink"),
                .embedInCode("io.waymark.Reachability.varlink"),
                .embedInCode("io.waymark.Recording.varlink"),
                .embedInCode("io.waymark.Uploads.varlink"),
                .embedInCode("io.waymark.Regions.varlink"),
                .embedInCode("io.waymark.Waking.varlink"),
                .embedInCode("io.waymark.Waker.varlink"),
                .embedInCode("io.waymark.Identity.varlink"),
                .embedInCode("io.waymark.Protection.varlink"),
            ]),

        library("RegionCalls", ["GeoJSON", "Interfaces", "Location", "Regions"]),

        // Makes Swift of the contract's texts, before anything is built that needs it.
        library("InterfaceGenerator", ["Varlink"]),
        program("interface-generator", ["InterfaceGenerator", "Platform"]),

        // What carries a recording to a destination: an app on the daemon's socket, apart from the program.
        library(
            "UploadService",
            [
                "CommandLineKit", "Configuration", "Cryptography", "Destinations", "Durations", "GeoJSON", "HTTP",
                "Interfaces", "JSONText", "Location", "MQTT", "NetworkPaths", "Platform", "RegionCalls", "Regions",
                "Upload", "Varlink",
            ]),

        // The daemon, and the client library.
        library(
            "Daemon",
            [
                "Accounts", "Authorization", "CLinux", "Configuration", "Containers", "Cryptography", "Durations",
                "Events", "GPSD", "Identities", "Inspector", "Interfaces", "JSONText", "Journal", "Location",
                "Manifests", "Netlink", "NetworkPaths", "Platform", "Protection", "Reachability", "RegionStorage",
                "Regions", "Resolver", "Storage", "Tracking", "Varlink", "Waking",
            ]),
        library(
            "Waymark",
            [
                "Cryptography", "Interfaces", "JSONText", "Location", "NetworkPaths", "Platform", "Records",
                "SyncInterface", "Varlink",
            ]),

        // The client library for other languages: the functions of waymark.h.
        .systemLibrary(name: "CWaymark"),
        library(
            "LibWaymark",
            [
                "CLinux", "CWaymark", "Durations", "Interfaces", "JSONText", "Location", "NetworkPaths", "Platform",
                "SyncInterface", "Varlink",
            ]),

        // Tools: a receiver that is made, a receiver that is replayed.
        library("ReceiverSimulator", ["Location"]),
        library("Replay", ["CLinux", "Platform"]),

        // The command line: what it says and how it is understood, apart from the programs so that it can be tested.
        library("CommandLineKit", ["CLinux", "Platform"]),
        library("Waker", ["Authorization", "Durations", "Interfaces", "Manifests", "Platform", "Varlink"]),
        library("Agent", ["CommandLineKit", "Durations", "Interfaces", "Location"]),
        library(
            "Commands",
            [
                "Agent", "Authorization", "CLinux", "CommandLineKit", "Configuration", "Destinations", "Durations",
                "Events", "GeoJSON", "Interfaces", "JSONText", "Location", "Manifests", "NetworkPaths", "Platform",
                "RegionCalls", "Regions", "Replay", "SyncInterface", "Tracking", "Varlink", "Waker", "Waymark",
            ]),

        program("waymarkd", ["CommandLineKit", "Configuration", "Daemon", "Interfaces", "Platform"]),
        program("waymark", ["Commands"]),
        program("waymark-agent", ["Commands"]),
        program("waymark-resolver", ["Resolver"]),
        program("waymark-waker", ["CommandLineKit", "Configuration", "Interfaces", "Platform", "Waker"]),
        program("waymark-inspector", ["Inspector"]),
        program("waymark-upload", ["CommandLineKit", "Interfaces", "Platform", "UploadService"]),
        program("waymark-simulator", ["Location", "Platform", "ReceiverSimulator", "Replay"]),

        // The server of records that are synchronized between machines.
        library(
            "Hub",
            [
                "Certificates", "CommandLineKit", "Containers", "Cryptography", "Durations", "HTTPServing",
                "Interfaces", "JSONText", "Location", "NetworkPaths", "Platform", "Records", "RecordsPostgreSQL",
                "RecordsSQLite", "Storage", "Varlink",
            ], resources: [.embedInCode("API/openapi.json"), .embedInCode("Control/io.waymark.Hub.varlink")]),
        program("waymark-hub", ["Hub"]),

        // The copy of an account's records on a machine, and the interface for apps.
        library(
            "SyncInterface", ["JSONText", "Location", "NetworkPaths", "Platform", "Varlink"],
            resources: [.embedInCode("io.waymark.Sync.varlink")]),
        library(
            "Sync",
            [
                "Accounts", "Authorization", "CommandLineKit", "Containers", "Cryptography", "Durations", "HTTP",
                "Interfaces", "JSONText", "Location", "Manifests", "NetworkPaths", "Platform", "Protection", "Records",
                "Storage", "SyncInterface", "Upload", "Varlink",
            ]),
        program("waymark-sync", ["Sync"]),

        // A server to try uploads with.
        library(
            "UploadTestServer",
            ["CommandLineKit", "HTTPServing", "JSONText", "Location", "Platform"]),
        program("waymark-upload-test-server", ["Interfaces", "UploadTestServer"]),

        .systemLibrary(name: "CTest", path: "Tests/CTest"),
        .systemLibrary(
            name: "CJSON", path: "Tests/CJSON", pkgConfig: "json-c", providers: [.apt(["libjson-c-dev"])]),
        library(
            "NetlinkRecording", path: "Tests/NetlinkRecording", ["Netlink", "NetworkPaths", "Platform", "Reachability"]),
        program(
            "waymark-netlink-recorder", path: "Tests/NetlinkRecorder",
            ["Netlink", "NetlinkRecording", "NetworkPaths", "Platform"]),
        program("waymark-peer", path: "Tests/Peer", ["CTest", "Platform"]),
        .target(
            name: "PowerCut", dependencies: ["Platform", "TestSupport"], path: "Tests/PowerCut", exclude: ["Shim"],
            swiftSettings: strict),
        library(
            "RegionScript", path: "Tests/RegionScript",
            ["Cryptography", "Location", "Platform", "RegionStorage", "Regions", "Storage", "TestSupport"]),
        library(
            "RecordScript", path: "Tests/RecordScript", ["Cryptography", "JSONText", "Location", "Platform", "Records"]),
        program(
            "waymark-record-writer", path: "Tests/RecordWriter",
            ["RecordScript", "Records", "RecordsPostgreSQL", "RecordsSQLite", "TestSupport"]),
        program("waymark-region-writer", path: "Tests/RegionWriter", ["RegionScript", "TestSupport"]),
        program("waymark-state-writer", path: "Tests/StateWriter", ["Platform", "Waymark"]),
        program("waymark-sleeper", path: "Tests/Sleeper", ["Location", "Platform", "Waymark"]),
        program(
            "waymark-benchmark", path: "Benchmarks", excluding: ["Peers"],
            [
                "Authorization", "CJSON", "CLinux", "Cryptography", "Hub", "Interfaces", "JSONText", "Journal",
                "Location", "Platform", "Protection", "ReceiverSimulator", "Records", "RecordsPostgreSQL",
                "RecordsSQLite", "RegionStorage", "Regions", "Replay", "Storage", "SyncInterface", "TestSupport",
                "Upload",
                "Varlink", "Waymark",
            ]),

        .target(
            name: "TestSupport",
            dependencies: ["CLinux", "CSystemd", "CTest", "Interfaces", "JSONText", "Platform", "Replay", "Varlink"],
            path: "Tests/Support", exclude: ["service-manager.py", "tls-server.py"],
            swiftSettings: strict),
        library("TestTraits", path: "Tests/Traits", ["Platform"]),
        library(
            "TestClients", path: "Tests/Clients",
            ["CLinux", "GPSD", "Interfaces", "JSONText", "Location", "Platform", "Replay", "TestSupport", "Varlink"]),
        library(
            "UploadVectors", path: "Tests/UploadVectors",
            ["Destinations", "JSONText", "Location", "Platform", "TestSupport", "Upload"]),
        tests("DurationsTests", ["Durations"]),
        tests("PlatformTests", ["CLinux", "CSystemd", "CTest", "Platform", "TestSupport"]),
        tests("LocationTests", ["Location"]),
        tests("NetworkPathsTests", ["NetworkPaths"]),
        tests("ConfigurationTests", ["Configuration", "Platform", "TestSupport"]),
        tests("JSONTextTests", ["CJSON", "JSONText", "TestSupport"]),
        tests("AccountsTests", ["Accounts", "Platform", "TestSupport"]),
        tests("VarlinkTests", ["JSONText", "Varlink", "Platform", "TestSupport"]),
        tests("GPSDTests", ["GPSD", "Location", "Platform", "TestSupport", "Tracking"]),
        tests("TrackingTests", ["Location", "ReceiverSimulator", "TestSupport", "Tracking"]),
        tests(
            "RegionStorageTests",
            [
                "Cryptography", "Location", "Platform", "PowerCut", "RegionScript", "RegionStorage", "Regions",
                "Storage", "TestSupport", "waymark-region-writer",
            ]),
        tests("RegionsTests", ["Location", "Platform", "ReceiverSimulator", "Regions", "TestSupport", "Tracking"]),
        tests("GeoJSONTests", ["GeoJSON", "JSONText", "Location", "Regions"]),
        tests("AuthorizationTests", ["Authorization", "Containers", "Location", "TestSupport"]),
        tests("IdentitiesTests", ["Authorization", "Identities", "Location", "TestSupport"]),
        tests("WakingTests", ["Authorization", "Containers", "Location", "TestSupport", "Waking"]),
        tests("WakerTests", ["Interfaces", "Manifests", "Platform", "TestSupport", "Varlink", "Waker"]),
        tests("ManifestsTests", ["Authorization", "Containers", "Manifests", "Platform", "TestSupport"]),
        tests(
            "LeakTests", path: "Tests/Leak",
            [
                "Authorization", "Configuration", "Cryptography", "Daemon", "GPSD", "Interfaces", "Journal", "Location",
                "Platform", "TestClients", "TestSupport", "Tracking", "Varlink",
            ]),
        tests("CryptographyTests", ["Cryptography", "Platform", "TestSupport"]),
        tests("ProtectionTests", ["Cryptography", "JSONText", "Location", "Platform", "Protection", "TestSupport"]),
        tests(
            "RecordsTests",
            [
                "Cryptography", "JSONText", "Location", "Platform", "PowerCut", "RecordScript", "RecordTables",
                "Records", "RecordsPostgreSQL", "RecordsSQLite", "Storage", "TestSupport", "waymark-record-writer",
            ]),
        tests("StorageTests", ["Cryptography", "JSONText", "Platform", "Storage", "TestSupport"]),
        tests(
            "JournalTests",
            [
                "Authorization", "Cryptography", "Events", "JSONText", "Journal", "Location", "Platform", "Protection",
                "Storage", "TestSupport", "waymark", "waymarkd",
            ]),
        tests(
            "InterfacesTests",
            [
                "InterfaceGenerator", "Interfaces", "JSONText", "Location", "NetworkPaths", "TestSupport", "Varlink",
            ]),
        tests("ReachabilityTests", ["Location", "NetlinkRecording", "NetworkPaths", "Reachability", "TestSupport"]),
        tests(
            "NetlinkTests",
            ["CNetlink", "Netlink", "NetlinkRecording", "NetworkPaths", "Platform", "Reachability", "TestSupport"]),
        tests("InspectorTests", ["CLinux", "Inspector", "Manifests", "Platform", "TestSupport", "waymark-inspector"]),
        tests(
            "ResolverTests", ["Location", "NetworkPaths", "Platform", "Resolver", "TestSupport", "waymark-resolver"]),
        tests("HTTPTests", ["HTTP", "Platform", "TestSupport", "Upload"]),
        tests("MQTTTests", ["MQTT", "NetworkPaths", "Platform", "TestSupport", "Upload"]),
        tests(
            "DestinationsTests",
            ["Destinations", "GeoJSON", "Location", "Platform", "Regions", "TestSupport", "Upload"]),
        tests(
            "UploadTests",
            ["Durations", "JSONText", "Location", "NetworkPaths", "Platform", "TestSupport", "Upload", "UploadVectors"]),
        tests(
            "UploadTestServerTests",
            [
                "HTTPServing", "Location", "Platform", "TestSupport", "Upload", "UploadTestServer", "UploadVectors",
                "waymark", "waymark-upload-test-server",
            ]),
        tests(
            "UploadServiceTests",
            [
                "Cryptography", "Destinations", "Interfaces", "JSONText", "Location", "NetworkPaths", "Platform",
                "RegionCalls", "TestSupport", "Upload", "UploadService", "Varlink",
            ]),
        tests(
            "WaymarkTests",
            [
                "Interfaces", "JSONText", "Location", "Platform", "PowerCut", "TestSupport", "Waymark",
                "waymark-state-writer",
            ]),
        tests(
            "LibWaymarkTests",
            [
                "CWaymark", "Durations", "Interfaces", "JSONText", "LibWaymark", "Location", "NetworkPaths",
                "Platform", "TestSupport", "Varlink",
            ]),
        library(
            "TestHubs", path: "Tests/Hubs",
            ["Hub", "Interfaces", "JSONText", "Platform", "TestSupport", "Varlink", "Waymark", "waymark-hub"]),
        tests(
            "SyncTests",
            [
                "Authorization", "Containers", "Cryptography", "HTTPServing", "Hub", "InterfaceGenerator", "JSONText",
                "Location",
                "Manifests", "Platform", "Records", "RecordsSQLite", "Storage", "Sync", "SyncInterface", "TestHubs",
                "TestSupport", "Upload", "Varlink", "Waymark", "waymark-sync",
            ]),
        tests(
            "HubTests",
            [
                "Certificates", "Cryptography", "HTTPServing", "Hub", "InterfaceGenerator", "Interfaces", "JSONText",
                "Location", "Platform", "Records", "RecordsSQLite", "Storage", "TestHubs", "TestSupport", "Varlink",
                "waymark-hub",
            ]),
        tests("PowerCutTests", ["Platform", "PowerCut", "TestSupport"]),
        tests("ReceiverSimulatorTests", ["Location", "Platform", "ReceiverSimulator", "TestSupport"]),
        tests("ReplayTests", ["Platform", "Replay", "TestSupport"]),
        tests("AgentTests", ["Agent", "CommandLineKit", "Interfaces", "Location"]),
        tests("CommandLineKitTests", ["CLinux", "CommandLineKit", "Platform", "TestSupport"]),
        tests(
            "CommandsTests",
            [
                "Agent", "CommandLineKit", "Commands", "Configuration", "Durations", "Events", "GeoJSON", "Interfaces",
                "JSONText", "Location", "Manifests", "NetworkPaths", "Platform", "RegionCalls", "Regions",
                "TestSupport", "Varlink", "Waymark", "waymark",
            ]),
        tests(
            "DaemonTests",
            [
                "Accounts", "Authorization", "CLinux", "CSystemd", "CTest", "Configuration", "Cryptography", "Daemon",
                "Events", "GPSD", "Inspector", "Interfaces", "JSONText", "Journal", "Location", "Manifests",
                "NetworkPaths", "Platform", "Protection", "Reachability", "Regions", "Resolver", "Storage",
                "TestSupport", "Tracking",
                "Varlink", "waymark-inspector", "waymark-resolver",
            ]),
        tests(
            "PackagingTests",
            [
                "CLinux", "CommandLineKit", "Commands", "Configuration", "Daemon", "Destinations", "Events", "Hub",
                "InterfaceGenerator", "Interfaces", "Journal", "Manifests", "Platform", "TestSupport", "Upload",
                "UploadService", "waymark", "waymark-waker", "waymarkd",
            ]),
        tests(
            "Integration", excluding: ["Foreign", "Library/Programs"],
            [
                "CLinux", "CSystemd", "CTest", "Cryptography", "Durations", "Hub", "Interfaces", "JSONText", "Location",
                "Netlink", "NetworkPaths", "Platform", "PowerCut", "Protection", "Reachability", "Replay",
                "SyncInterface", "TestClients", "TestHubs", "TestSupport", "Upload", "Varlink", "Waymark", "waymark",
                "waymark-inspector", "waymark-peer", "waymark-resolver", "waymark-simulator", "waymark-sleeper",
                "waymark-sync", "waymark-upload", "waymark-upload-test-server", "waymark-waker", "waymarkd",
            ]),
        tests(
            "Attacks",
            [
                "CLinux", "Inspector", "Interfaces", "JSONText", "Location", "Manifests", "Platform", "Replay",
                "TestClients", "TestSupport", "Varlink", "waymark", "waymark-inspector", "waymark-peer",
                "waymark-simulator", "waymarkd",
            ]),
    ]
)

// For a build of what is installed only: what development, tests and benchmarks need is left out.
if Context.environment["WAYMARK_INSTALLED_ONLY"] != nil {
    package.targets.removeAll { target in
        target.type == .test || ["Tests/", "Benchmarks"].contains { target.path?.hasPrefix($0) == true }
            || ["InterfaceGenerator", "interface-generator"].contains(target.name)
    }
}
