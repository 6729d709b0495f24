extension HubInterface {
    /// The interface's text, identical to its file. The hub serves it at a socket of its own, and not the daemon.
    public static var text: String { String(decoding: PackageResources.io_waymark_Hub_varlink, as: UTF8.self) }
}
