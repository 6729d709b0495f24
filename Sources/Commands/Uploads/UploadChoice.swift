/// The upload that an operator names.
struct UploadChoice {
    /// The recording's identifier.
    let name: String
    /// The app of the uploader; nil where the daemon has to find it.
    let app: String?
    /// Its user; nil where the daemon has to find it.
    let uid: UInt32?

    /// The upload of the command line.
    init(_ session: Session) throws(CommandFailure) {
        name = session.invocation.argument("NAME") ?? ""
        app = session.invocation.text("app")
        uid = try AppOptions.user(session)
    }
}
