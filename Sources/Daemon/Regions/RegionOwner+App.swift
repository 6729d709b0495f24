import Authorization
import Events
import RegionStorage

extension RegionOwner {
    /// An app as an owner.
    init(_ app: AppID) {
        self.init(uid: app.uid, app: app.name)
    }

    /// The app; nil for an operator's programs that are no app.
    var appID: AppID? { app.map { AppID(uid: uid, name: $0) } }
}
