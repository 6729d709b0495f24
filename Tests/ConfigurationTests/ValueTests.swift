import Platform
import Testing

@testable import Configuration

@Suite struct ValueTests {
    @Test(arguments: [
        ("0", Duration.zero), ("5", .seconds(5)), ("500ms", .milliseconds(500)), ("5s", .seconds(5)),
        ("10min", .seconds(600)), ("2h", .seconds(7_200)), ("90d", .seconds(7_776_000)),
        ("1min 30s", .seconds(90)), ("1min30s", .seconds(90)), ("30s 1min", .seconds(90)), ("1 min", .seconds(60)),
        ("007s", .seconds(7)),
    ])
    func `a duration is read in the units that a person writes`(text: String, duration: Duration) throws {
        #expect(try DurationText.parse(text) == duration)
    }

    @Test(arguments: [
        "", " ", "s", "5x", "5 ", "-5s", "+5", "1.5s", "5s6", "1min 30", "5S", "٥s", "5s,", "9223372036854775807",
        "9223372036854775807d", "99999999999999999999s", "366001d",
        String(repeating: "300000d ", count: 20_000) + "1s",
    ])
    func `a text that is no duration is refused`(text: String) {
        #expect(throws: ValueError.self) { try DurationText.parse(text) }
    }

    @Test(arguments: [
        (Duration.zero, "0s"), (.milliseconds(1), "1ms"), (.seconds(90), "1min 30s"), (.seconds(3_600), "1h"),
        (.seconds(90_061), "1d 1h 1min 1s"), (.milliseconds(61_500), "1min 1s 500ms"),
    ])
    func `a written duration is read as the same duration`(duration: Duration, text: String) throws {
        #expect(DurationText.text(duration) == text)
        #expect(try DurationText.parse(text) == duration)
    }

    @Test(arguments: [
        ("0", 0 as UInt64), ("1000", 1_000), ("64K", 65_536), ("256M", 268_435_456), ("1G", 1_073_741_824),
        ("2T", 2_199_023_255_552), ("18446744073709551615", .max),
    ])
    func `a size is read in bytes or units of 1024`(text: String, bytes: UInt64) throws {
        #expect(try SizeText.parse(text) == bytes)
        #expect(try SizeText.parse(SizeText.text(bytes)) == bytes)
    }

    @Test(arguments: ["", "K", "64k", "64KB", "-1", "+1", "1.5G", "64 K", "18446744073709551616", "99999999999T"])
    func `a text that is no size is refused`(text: String) {
        #expect(throws: ValueError.self) { try SizeText.parse(text) }
    }

    @Test(arguments: [
        ("none", GPSDAddress.none), ("localhost:2947", .tcp(host: "localhost", port: 2947)),
        ("127.0.0.1:1", .tcp(host: "127.0.0.1", port: 1)), ("[::1]:65535", .tcp(host: "::1", port: 65_535)),
        ("[fe80::1%eth0]:2947", .tcp(host: "fe80::1%eth0", port: 2_947)),
        ("unix:/run/gpsd.sock", .unix(path: "/run/gpsd.sock")), ("unix:/a:b", .unix(path: "/a:b")),
    ])
    func `an address of gpsd is read and written`(text: String, address: GPSDAddress) throws {
        #expect(try GPSDAddress(parsing: text) == address)
        #expect(address.description == text)
    }

    @Test(arguments: [
        "", "localhost", ":2947", "gps.example.org:2947", "999.1.1.1:2947", "localhost:", "localhost:0",
        "localhost:65536", "localhost:+5", "localhost:gpsd",
        "::1", "::1:2947", "[::1]", "[localhost]:2947", "[::1%]:2947", "[]:1", "a b:1", "höst:1", "unix:", "unix:run",
        "unix:/" + String(repeating: "a", count: 107), "NONE", String(repeating: "a", count: 254) + ":1",
    ])
    func `a text that is no address of gpsd is refused`(text: String) {
        #expect(throws: ValueError.self) { try GPSDAddress(parsing: text) }
    }

    @Test(arguments: [
        ("Receiver", "Simulated", "YES"), ("Receiver", "Simulated", "2"), ("Receiver", "StaleAfter", "999ms"),
        ("Receiver", "StaleAfter", "3601s"), ("Receiver", "MaximumSpeed", "0"), ("Receiver", "MaximumSpeed", "1e3"),
        ("Receiver", "MaximumSpeed", "10001"), ("Socket", "Path", "run/waymark.sock"), ("Socket", "Path", "/a/../b"),
        ("Socket", "Path", "/" + String(repeating: "a", count: 107)), ("Socket", "Mode", "0888"),
        ("Socket", "Mode", "1777"), ("Socket", "Mode", "6"), ("Socket", "Mode", "rw-rw-rw-"),
        ("Socket", "Mode", "00666"),
        ("Socket", "MaximumConnections", "0"), ("Socket", "MaximumConnections", "-1"),
        ("Socket", "MaximumConnections", "65537"), ("Journal", "StateDirectory", "\"/var/lib/waymark\""),
        ("Journal", "MaximumSize", "1023K"), ("Journal", "CommitInterval", "0"),
        ("Authorization", "OperatorGroup", "0wheel"), ("Authorization", "OperatorGroup", "a b"),
        ("Reachability", "Settle", "61s"), ("Reachability", "Expensive", "wwan* a/b"),
        ("Reachability", "Constrained", "wlan0,wlan1"), ("Reachability", "UltraConstrained", "abcdefghijklmnop"),
        ("Reachability", "NetworkManager", "maybe"), ("Reachability", "Resolver", "resolver"),
        ("Reachability", "Resolver", "/a/../b"), ("Reachability", "Resolver", "Own"),
        ("Log", "Level", "Info"), ("Log", "Level", "6"),
    ])
    func `a value that is not allowed is reported with the allowed ones`(section: String, key: String, value: String)
        throws
    {
        let text = "[\(section)]\n\(key)=\(value)\n"
        let configuration = Configuration(reading: Array(text.utf8), as: "waymark.conf")
        let problem = try #require(configuration.problems.first)
        #expect(configuration.problems.count == 1)
        #expect(problem.description.hasPrefix("waymark.conf:2: [\(section)] \(key): “"))
        #expect(problem.message.contains("Allowed: "))
        #expect(configuration.settings == Settings())
    }

    @Test(
        arguments: [("own", .own), ("none", .none), ("/usr/bin/lookup", .program(path: "/usr/bin/lookup"))]
            as [(String, ResolverProgram)])
    func `a program that resolves names is read and written`(text: String, program: ResolverProgram) throws {
        #expect(try ResolverProgram(parsing: text) == program)
        #expect(program.description == text)
    }
}
