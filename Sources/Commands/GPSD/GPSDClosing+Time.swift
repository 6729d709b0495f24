import Glibc

/// How a closed gpsd provides chrony with the time.
///
/// gpsd writes the time into System V shared memory, the segments 0 and 1 of `refclock SHM`. A receiver without PPS
/// provides it by no other route: chrony's sockets in gpsd 3.22 carry only the pulses of PPS. An IPC namespace that
/// only gpsd and chrony share protects both that memory and the one with the positions from all others.
///
/// systemd creates all namespaces that units share when the first of these units starts, and only the kinds that this
/// unit requests (systemd.unit(5), JoinsNamespaceOf=). A kind that it does not request is missing for the others, which
/// then silently run without it. Therefore the unit that starts first requests every kind.
extension GPSDClosing {
    /// The unit that owns the namespaces.
    static let namespaceUnit = "waymark-gpsd-namespaces.service"

    /// The names of chrony's unit: in Debian, and elsewhere.
    static let chronyUnits = ["chrony.service", "chronyd.service"]

    /// chrony's unit; nil where chrony is not installed.
    var chronyUnit: String? {
        let folders = ["\(root)/lib/systemd/system", "\(root)/usr/lib/systemd/system", units]
        return Self.chronyUnits.first { unit in folders.contains { access("\($0)/\(unit)", F_OK) == 0 } }
    }

    /// Whether the unit that owns the namespaces exists.
    var hasNamespaceUnit: Bool { access("\(units)/\(Self.namespaceUnit)", F_OK) == 0 }

    /// Whether chrony gets no time from a closed gpsd, because chrony was installed later.
    var isChronyLeftOut: Bool { isInPlace && chronyUnit.map { !Self.exist(timeFiles(for: $0)) } ?? false }

    /// The files that give gpsd and chrony a shared IPC namespace.
    func timeFiles(for chronyUnit: String) -> [File] {
        [
            File(
                path: "\(units)/\(Self.namespaceUnit)",
                text: Self.remark
                    + """
                    [Unit]
                    Description=IPC namespace for the time from gpsd to chrony

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
