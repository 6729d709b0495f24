import Reachability
import TestSupport
import Testing

@testable import Netlink

@Suite struct `The device types of interfaces` {
    private let directory: TemporaryDirectory
    private let types: DeviceTypes

    init() throws {
        directory = try TemporaryDirectory()
        types = DeviceTypes(folder: directory.path)
        try directory.write("wlp1s0/ifindex", "3\n")
        try directory.write("wlp1s0/uevent", "DEVTYPE=wlan\nINTERFACE=wlp1s0\nIFINDEX=3\n")
        try directory.write("eth0/ifindex", "2\n")
        try directory.write("eth0/uevent", "INTERFACE=eth0\nIFINDEX=2\n")
    }

    private func link(_ index: Int32, _ name: String, virtualKind: String? = nil) -> Link {
        Link(index: index, name: name, virtualKind: virtualKind, isUp: true, isRunning: true)
    }

    @Test func `are read if the driver reports one`() {
        #expect(types.type(of: link(3, "wlp1s0")) == "wlan")
        #expect(types.type(of: link(2, "eth0")) == nil)
        #expect(types.type(of: link(4, "wwan0")) == nil)
    }

    @Test func `are not read from an interface of the same name in another network`() {
        #expect(types.type(of: link(33, "wlp1s0")) == nil)
    }

    @Test func `are not read for virtual interfaces`() {
        #expect(types.type(of: link(3, "wlp1s0", virtualKind: "veth")) == nil)
    }

    @Test(arguments: ["", ".", "..", "../wlp1s0", "wlp1s0/../wlp1s0"])
    func `are not read for names that are paths`(_ name: String) throws {
        try directory.write("ifindex", "3\n")
        try directory.write("uevent", "DEVTYPE=wlan\n")
        #expect(types.type(of: link(3, name)) == nil)
    }
}
