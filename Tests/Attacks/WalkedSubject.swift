import Interfaces
import TestClients

/// The information that a method returns.
enum WalkedSubject {
    /// The position of the machine, once.
    case position
    /// The positions as a stream, which an app that is not in use may open.
    case positions
    /// For apps.
    case app
    /// For apps in use.
    case appInUse
    /// For operators only, whatever an app is allowed.
    case operators(ErrorName)
    /// Information about the calling app.
    case readsOwn
    /// The recording of an app, which is empty, and may be read while the app is not in use.
    case recorded
    /// Changes a recording, which does not exist.
    case noRecording
    /// For an app that may record, whatever positions it is allowed.
    case ofRecordingApp
    /// For an app that uploads recordings, whatever positions it is allowed.
    case ofUploader
    /// The uploads of the calling app.
    case readsOwnUploads
    /// For an app, whatever positions it is allowed: changes its regions, or lists its monitors.
    case ofAppWithRegions
    /// Needs events or staged regions, which do not exist.
    case noRegions(ErrorName)
    /// For an app, whatever positions it is allowed: why it runs, and what it is woken for.
    case ofSleepingApp
    /// Needs [Wake] in the manifest, or events, which do not exist.
    case notWoken(ErrorName)
    /// For an app, whatever positions it is allowed: an identifier.
    case ofIdentifiedApp
    /// For an app, whatever positions it is allowed: zeros, because nobody has allowed it to track.
    case advertisingIdentifier
    /// For programs with the rights of their user: changes that user's advertising identifier, of which there is none.
    case ofPerson
    /// For programs with the rights of their user that are no app: the lock of that user's data, and nothing of others.
    case ownLock
    /// The app's own regions, and whether the machine is in them.
    case ownRegions
    /// The events of the app's regions.
    case regionEvents
    /// Information for everybody, nothing about present or past positions.
    case anybody

    /// The kind of each method. A new method has to be added here, and in `WalkedCalls`.
    static let methods: [String: WalkedSubject] = [
        "org.varlink.service.GetInfo": .anybody,
        "org.varlink.service.GetInterfaceDescription": .anybody,
        "io.waymark.Location.GetAuthorization": .anybody,
        "io.waymark.Location.MonitorAuthorization": .anybody,
        "io.waymark.Location.RequestWhenInUse": .app,
        "io.waymark.Location.RequestAlways": .app,
        "io.waymark.Location.RequestTemporaryFullAccuracy": .app,
        "io.waymark.Location.SetActivity": .anybody,
        "io.waymark.Location.HoldInUse": .appInUse,
        "io.waymark.Location.GetPosition": .position,
        "io.waymark.Location.Monitor": .positions,
        "io.waymark.Location.GetSatellites": .position,
        "io.waymark.Location.MonitorSatellites": .positions,
        "io.waymark.Location.MonitorHeading": .positions,
        "io.waymark.Location.MonitorVisits": .positions,
        "io.waymark.Protection.Status": .ownLock,
        "io.waymark.Protection.SetPassphrase": .ownLock,
        "io.waymark.Protection.ChangePassphrase": .ownLock,
        "io.waymark.Protection.AddPassphrase": .ownLock,
        "io.waymark.Protection.AddRecovery": .ownLock,
        "io.waymark.Protection.AddCredential": .operators(.protectionNotOperator),
        "io.waymark.Protection.Remove": .ownLock,
        "io.waymark.Protection.SwitchOff": .ownLock,
        "io.waymark.Protection.RenewMachineSecret": .operators(.protectionNotOperator),
        "io.waymark.Protection.Lock": .ownLock,
        "io.waymark.Protection.Unlock": .ownLock,
        "io.waymark.Protection.Reset": .operators(.protectionNotOperator),
        "io.waymark.Protection.Monitor": .anybody,
        "io.waymark.Protection.MonitorCopyKey": .operators(.protectionNotAllowed),
        "io.waymark.Protection.ReleaseCopyKey": .operators(.protectionNotAllowed),
        "io.waymark.Manage.Status": .operators(.manageNotOperator),
        "io.waymark.Manage.Monitor": .operators(.manageNotOperator),
        "io.waymark.Manage.Reload": .operators(.manageNotOperator),
        "io.waymark.Manage.Metrics": .operators(.manageNotOperator),
        "io.waymark.Manage.ListApps": .operators(.manageNotOperator),
        "io.waymark.Manage.Authorize": .operators(.manageNotOperator),
        "io.waymark.Manage.AuthorizeTracking": .operators(.manageNotOperator),
        "io.waymark.Manage.Reset": .operators(.manageNotOperator),
        "io.waymark.Manage.ResetAll": .operators(.manageNotOperator),
        "io.waymark.Manage.ListIdentifiers": .operators(.manageNotOperator),
        "io.waymark.Manage.ResetIdentifiers": .operators(.manageNotOperator),
        "io.waymark.Manage.SetServicesEnabled": .operators(.manageNotOperator),
        "io.waymark.Manage.ListRequests": .operators(.manageNotOperator),
        "io.waymark.Manage.Answer": .operators(.manageNotOperator),
        "io.waymark.Manage.SetLocked": .operators(.manageNotOperator),
        "io.waymark.Manage.RotateReduced": .operators(.manageNotOperator),
        "io.waymark.Manage.ListUsers": .operators(.manageNotOperator),
        "io.waymark.Manage.EraseUser": .operators(.manageNotOperator),
        "io.waymark.Manage.RestoreUser": .operators(.manageNotOperator),
        "io.waymark.Agent.Register": .operators(.agentNotAgent),
        "io.waymark.Agent.Answer": .operators(.agentNotAgent),
        "io.waymark.Agent.Dismiss": .operators(.agentNotAgent),
        "io.waymark.Agent.SetLocked": .operators(.agentNotAgent),
        "io.waymark.Journal.Read": .readsOwn,
        "io.waymark.Journal.Verify": .operators(.journalNotOperator),
        "io.waymark.Journal.Note": .operators(.journalNotOperator),
        "io.waymark.Recording.Acknowledge": .noRecording,
        "io.waymark.Recording.Erase": .noRecording,
        "io.waymark.Recording.List": .ofRecordingApp,
        "io.waymark.Recording.Read": .recorded,
        "io.waymark.Recording.ReadRejected": .recorded,
        "io.waymark.Recording.Reject": .noRecording,
        "io.waymark.Recording.Revive": .noRecording,
        "io.waymark.Recording.Start": .ofRecordingApp,
        "io.waymark.Recording.Stop": .ofRecordingApp,
        "io.waymark.Uploads.Attach": .ofUploader,
        "io.waymark.Uploads.Report": .ofUploader,
        "io.waymark.Uploads.List": .readsOwnUploads,
        "io.waymark.Uploads.Monitor": .readsOwnUploads,
        "io.waymark.Uploads.Pause": .operators(.uploadsNotOperator),
        "io.waymark.Uploads.Resume": .operators(.uploadsNotOperator),
        "io.waymark.Uploads.Flush": .operators(.uploadsNotOperator),
        "io.waymark.Uploads.RetryRejected": .operators(.uploadsNotOperator),
        "io.waymark.Regions.Acknowledge": .noRegions(.regionsNoSuchMonitor),
        "io.waymark.Regions.Add": .ofAppWithRegions,
        "io.waymark.Regions.Commit": .noRegions(.regionsNothingStaged),
        "io.waymark.Regions.List": .ofAppWithRegions,
        "io.waymark.Regions.Monitor": .regionEvents,
        "io.waymark.Regions.Remove": .ofAppWithRegions,
        "io.waymark.Regions.Show": .ownRegions,
        "io.waymark.Identity.GetIdentifierForVendor": .ofIdentifiedApp,
        "io.waymark.Identity.RequestTrackingAuthorization": .ofIdentifiedApp,
        "io.waymark.Identity.GetTrackingAuthorization": .ofIdentifiedApp,
        "io.waymark.Identity.GetAdvertisingIdentifier": .advertisingIdentifier,
        "io.waymark.Identity.ResetAdvertisingIdentifier": .ofPerson,
        "io.waymark.Waking.GetLaunchReason": .ofSleepingApp,
        "io.waymark.Waking.Subscribe": .notWoken(.wakingNotDeclared),
        "io.waymark.Waking.Unsubscribe": .ofSleepingApp,
        "io.waymark.Waking.List": .ofSleepingApp,
        "io.waymark.Waking.Monitor": .notWoken(.wakingNoSuchEvent),
        "io.waymark.Waking.Acknowledge": .ofSleepingApp,
        "io.waymark.Waking.ReportPush": .operators(.wakingNotAllowed),
        "io.waymark.Waking.SetAllowed": .operators(.wakingNotAllowed),
        "io.waymark.Waker.Serve": .operators(.wakerNotWaker),
        "io.waymark.Waker.ReportOrder": .operators(.wakerNotWaker),
        "io.waymark.Waker.ReportService": .operators(.wakerNotWaker),
        "io.waymark.Waker.ReportManager": .operators(.wakerNotWaker),
        "io.waymark.Reachability.GetPath": .anybody,
        "io.waymark.Reachability.MonitorPath": .anybody,
        "io.waymark.Reachability.GetTarget": .anybody,
        "io.waymark.Reachability.MonitorTarget": .anybody,
        "io.waymark.Reachability.ReportTarget": .anybody,
    ]
}
