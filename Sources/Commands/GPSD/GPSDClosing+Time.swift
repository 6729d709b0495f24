import Glibc

/// How a closed gpsd tells chrony the time.
///
/// gpsd writes the time into System V shared memory, the segments 0 and 1 of `refclock SHM`. A receiver without PPS
/// gives it by no other route: chrony's sockets in gpsd 3.22 carry the pulses of PPS only. An IPC namespace in
/// which nobody but gpsd and chrony is keeps everybody else from both that memory and the one with the positions.
///
/// systemd makes all namespaces that units have in common when the first of these units starts, as that unit asks for
/// them (systemd.unit(5), JoinsNamespaceOf=). A kind of namespace that the first one does not ask for is missing for
/// the others: they silently run without theirs. For this reason the unit that is the first asks for each kind.
extension GPSDClosing {
    /// The unit that has the namespaces.
    static let namespaceUnit = "waymark-gpsd-namespaces.service"

    /// What chrony's unit is called: in Debian, and elsewhere.
    static let chronyUnits = ["chrony.service", "chronyd.service"]

    /// chrony's unit; nil where chrony is not installed.
    var chronyUnit: String? {
        let folders = ["\(root)/lib/systemd/system", "\(root)/usr/lib/systemd/system", units]
        return Self.chronyUnits.first { unit in folders.contains { access("\($0)/\(unit)", F_OK) == 0 } }
    }

    /// Whether the unit that has the namespaces is there.
    var hasNamespaceUnit: Bool { access("\(units)/\(Self.namespaceUnit)", F_OK) == 0 }

    /// Whether chrony gets no time from a gpsd that is closed, as chrony was installed later.
    var isChronyLeftOut: Bool { isInPlace && chronyUnit.map { !Self.exist(timeFiles(for: $0)) } ?? false }

    /// The files by which gpsd and chrony have an IPC namespace in common.
    func timeFiles(for chronyUnit: String) -> [File] {
        [
            File(
                path: "\(units)/\(Self.namespaceUnit)",
                text: Self.remark
                    + """
                    [Unit]
                    Description=IPC namespace in which gpsd tells chrony the time

                    [Service]
                    # The namespaces last as long as this unit is active, whichever of gpsd and chrony is restarted.
                    Type=oneshot
                    RemainAfterExit=yes
                    ExecStart=/bin/true
                    # For gpsd and chrony.
                    PrivateIPC=yes
                    # For gpsd alone: chrony stays in the machine's network. Without it gpsd would be there as well.
                    PrivateNetwork=yes
                    # For chrony alone. Without it chrony would have the machine's /tmp.
                    PrivateTmp=yes

                    """),
            File(path: "\(units)/gpsd.service.d/waymark-time.conf", text: Self.remark + Self.joins),
            File(
                path: "\(units)/\(chronyUnit).d/waymark-time.conf",
                text: Self.remark + Self.joins
                    + """

                    [Service]
                    PrivateIPC=yes

                    """),
        ]
    }

    private static let joins = """
        [Unit]
        # Where the time is in shared memory. Without that unit each runs in an IPC namespace of its own.
        Wants=\(namespaceUnit)
        After=\(namespaceUnit)
        JoinsNamespaceOf=\(namespaceUnit)

        """
}
