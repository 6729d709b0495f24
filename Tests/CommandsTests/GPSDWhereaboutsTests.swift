import Configuration
import Testing

@testable import Commands

@Suite struct GPSDWhereaboutsTests {
    private static let proxy = GPSDAddress.throughSystemUnit.description
    private static let shipped = "WAYMARK_GPSD=\(proxy) WAYMARK_RESOLVER=/run/waymarkd/resolver.sock\n"

    private func command(_ arguments: String) -> String {
        "{ path=/usr/lib/systemd/systemd-socket-proxyd ; argv[]=/usr/lib/systemd/systemd-socket-proxyd"
            + " --connections-max=16 --exit-idle-time=5s \(arguments) ; ignore_errors=no ; start_time=[n/a] ;"
            + " stop_time=[n/a] ; pid=0 ; code=(null) ; status=0/0 }\n"
    }

    /// The address of gpsd by the daemon's report, the files, the environment and the units.
    private func address(
        reported: String? = nil, configured: String? = nil, variable: String? = nil, environment: String? = nil,
        proxy: String? = nil
    ) throws -> String {
        let whereabouts = GPSDWhereabouts(
            reported: try reported.map { try GPSDAddress(parsing: $0) },
            configured: try configured.map { try GPSDAddress(parsing: $0) },
            variable: { $0 == "WAYMARK_GPSD" ? variable : nil },
            property: { unit, property in
                switch (unit, property) {
                case ("waymark.service", "Environment"): environment
                case ("waymark-gpsd.service", "ExecStart"): proxy.map(command)
                default: nil
                }
            })
        return whereabouts.address.description
    }

    @Test func `the daemon's report has priority over files, the environment and its unit`() throws {
        let all = ["127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"]
        let unit = "A=b WAYMARK_GPSD=127.0.0.1:4\n"
        #expect(try address(reported: all[0], configured: all[1], variable: all[2], environment: unit) == all[0])
        #expect(try address(configured: all[1], variable: all[2], environment: unit) == all[1])
        #expect(try address(variable: all[2], environment: unit) == all[2])
        #expect(try address(environment: unit) == "127.0.0.1:4")
        #expect(try address() == "localhost:2947")
        #expect(try address(reported: "none", variable: all[2]) == "none")
    }

    @Test func `with the shipped unit's proxy the address is the proxy's target`() throws {
        #expect(try address(reported: Self.proxy, proxy: "127.0.0.1:2947") == "127.0.0.1:2947")
        #expect(try address(reported: Self.proxy, proxy: "192.0.2.7:4000") == "192.0.2.7:4000")
        #expect(try address(environment: Self.shipped, proxy: "[2001:db8::1]:2947") == "[2001:db8::1]:2947")
        #expect(try address(environment: Self.shipped, proxy: "/run/gpsd.sock") == "unix:/run/gpsd.sock")
        #expect(try address(variable: Self.proxy, proxy: "127.0.0.1:4000") == "127.0.0.1:4000")
        #expect(try address(reported: Self.proxy) == "localhost:2947")
    }

    @Test(arguments: ["", "\n", "nonsense", "WAYMARK_GPSD=", "WAYMARK_GPSD=nowhere"])
    func `an invalid line is ignored`(_ text: String) throws {
        #expect(try address(variable: text, environment: text) == "localhost:2947")
        #expect(try address(reported: Self.proxy, proxy: text) == "localhost:2947")
    }
}
