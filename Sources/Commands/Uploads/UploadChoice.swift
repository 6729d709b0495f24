/// Which upload an operator means.
struct UploadChoice {
    /// The recording's identifier.
    let name: String
    /// The app that carries it; nil where the daemon is to find out.
    let app: String?
    /// Its user; nil where the daemon is to find out.
    let uid: UInt32?

    /// The one that the command line names.
    init(_ session: Session) throws(CommandFailure) {
        name = session.invocation.argument("NAME") ?? ""
        app = session.invocation.text("app")
        uid = try AppOptions.user(session)
    }
}
