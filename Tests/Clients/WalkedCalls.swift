import Interfaces
import Varlink

/// Every method of the daemon, called in every form, with parameters that request as much as possible: for tests that
/// compare what clients get from all of them.
public enum WalkedCalls {
    /// A form of a call.
    public enum Form: String, CaseIterable, Sendable {
        /// One reply.
        case plain = ""
        /// The call returns a stream of replies.
        case more = #","more":true"#
        /// No reply.
        case oneway = #","oneway":true"#
    }

    /// Four circles around the Earth's equator: each place but those near the poles is in one or two of them.
    private static let quarters = [0, 90, 180, -90]
        .map { #"{"identifier":"at \#($0)","circle":{"latitude":0,"longitude":\#($0),"radius":5000000}}"# }
        .joined(separator: ",")

    /// A public key of X25519: the number nine.
    private static let publicKey = "09" + String(repeating: "0", count: 62)

    /// The parameters of each method. A new method has to find its place here.
    public static let parameters: [String: String] = [
        "org.varlink.service.GetInfo": "{}",
        "org.varlink.service.GetInterfaceDescription": #"{"interface":"io.waymark.Location"}"#,
        "io.waymark.Location.GetAuthorization": "{}",
        "io.waymark.Location.MonitorAuthorization": "{}",
        "io.waymark.Location.RequestWhenInUse": "{}",
        "io.waymark.Location.RequestAlways": "{}",
        "io.waymark.Location.RequestTemporaryFullAccuracy": #"{"purposeKey":"Navigation"}"#,
        "io.waymark.Location.SetActivity": #"{"activity":"background"}"#,
        "io.waymark.Location.HoldInUse": "{}",
        "io.waymark.Location.GetPosition": #"{"maximumAge":600,"timeout":5}"#,
        "io.waymark.Location.Monitor": "{}",
        "io.waymark.Location.GetSatellites": "{}",
        "io.waymark.Location.MonitorSatellites": "{}",
        "io.waymark.Location.MonitorHeading": #"{"headingFilter":0}"#,
        "io.waymark.Location.MonitorVisits": #"{"since":0}"#,
        "io.waymark.Manage.Status": "{}",
        "io.waymark.Manage.Monitor": "{}",
        "io.waymark.Manage.Reload": "{}",
        "io.waymark.Manage.Metrics": "{}",
        "io.waymark.Manage.ListApps": "{}",
        "io.waymark.Manage.Authorize": #"{"app":"trailmap","status":"always"}"#,
        "io.waymark.Manage.AuthorizeTracking": #"{"app":"trailmap","status":"allow"}"#,
        "io.waymark.Manage.Reset": #"{"app":"trailmap"}"#,
        "io.waymark.Manage.ResetAll": "{}",
        "io.waymark.Manage.ListIdentifiers": "{}",
        "io.waymark.Manage.ResetIdentifiers": "{}",
        "io.waymark.Manage.SetServicesEnabled": #"{"enabled":true}"#,
        "io.waymark.Manage.ListRequests": "{}",
        "io.waymark.Manage.Answer": #"{"id":1,"choice":"allow"}"#,
        "io.waymark.Manage.SetLocked": #"{"uid":0,"locked":false}"#,
        "io.waymark.Manage.RotateReduced": "{}",
        "io.waymark.Manage.ListUsers": "{}",
        "io.waymark.Manage.EraseUser": #"{"uid":0}"#,
        "io.waymark.Manage.RestoreUser": #"{"uid":0}"#,
        "io.waymark.Agent.Register": "{}",
        "io.waymark.Agent.Answer": #"{"prompt":1,"choice":"allow"}"#,
        "io.waymark.Agent.Dismiss": #"{"prompt":1}"#,
        "io.waymark.Agent.SetLocked": #"{"locked":false}"#,
        "io.waymark.Journal.Read": #"{"after":0,"follow":true}"#,
        "io.waymark.Journal.Verify": "{}",
        "io.waymark.Journal.Note": #"{"text":"a stranger was here"}"#,
        "io.waymark.Recording.Acknowledge": #"{"identifier":"a","upTo":0}"#,
        "io.waymark.Recording.Erase": #"{"identifier":"a"}"#,
        "io.waymark.Recording.List": "{}",
        "io.waymark.Recording.Read": #"{"identifier":"a","after":0,"wait":true}"#,
        "io.waymark.Recording.ReadRejected": #"{"identifier":"a","after":0}"#,
        "io.waymark.Recording.Reject": #"{"identifier":"a","sequence":1,"status":400,"message":"no"}"#,
        "io.waymark.Recording.Revive": #"{"identifier":"a","sequence":1}"#,
        "io.waymark.Recording.Start": #"{"identifier":"a"}"#,
        "io.waymark.Recording.Stop": #"{"identifier":"a"}"#,
        "io.waymark.Uploads.Attach": #"{"name":"a"}"#,
        "io.waymark.Uploads.Report": #"{"name":"a","status":{"state":"idle","attempt":0,"sent":0,"rejected":0}}"#,
        "io.waymark.Uploads.List": "{}",
        "io.waymark.Uploads.Monitor": "{}",
        "io.waymark.Uploads.Pause": #"{"name":"a"}"#,
        "io.waymark.Uploads.Resume": #"{"name":"a"}"#,
        "io.waymark.Uploads.Flush": #"{"name":"a"}"#,
        "io.waymark.Uploads.RetryRejected": #"{"name":"a"}"#,
        "io.waymark.Regions.Acknowledge": #"{"monitor":"m","upTo":0}"#,
        "io.waymark.Regions.Add": #"{"monitor":"m","regions":[\#(quarters)]}"#,
        "io.waymark.Regions.Commit": #"{"monitor":"m"}"#,
        "io.waymark.Regions.List": "{}",
        "io.waymark.Regions.Monitor": #"{"monitor":"m"}"#,
        "io.waymark.Regions.Remove": #"{"monitor":"m","identifiers":["none"]}"#,
        "io.waymark.Regions.Show": #"{"monitor":"m","coordinates":true}"#,
        "io.waymark.Identity.GetIdentifierForVendor": "{}",
        "io.waymark.Identity.RequestTrackingAuthorization": "{}",
        "io.waymark.Identity.GetTrackingAuthorization": "{}",
        "io.waymark.Identity.GetAdvertisingIdentifier": "{}",
        "io.waymark.Identity.ResetAdvertisingIdentifier": "{}",
        "io.waymark.Waking.GetLaunchReason": "{}",
        "io.waymark.Waking.Subscribe": #"{"cause":"path"}"#,
        "io.waymark.Waking.Unsubscribe": #"{"cause":"path"}"#,
        "io.waymark.Waking.List": "{}",
        "io.waymark.Waking.Monitor": #"{"after":5}"#,
        "io.waymark.Waking.Acknowledge": #"{"upTo":0}"#,
        "io.waymark.Waking.ReportPush": #"{"container":"org.example.notes","environment":"production"}"#,
        "io.waymark.Waking.SetAllowed": #"{"app":"trailmap","uid":0,"allowed":true}"#,
        "io.waymark.Waker.Serve": "{}",
        "io.waymark.Waker.ReportOrder": #"{"app":"trailmap","number":1,"outcome":"started"}"#,
        "io.waymark.Waker.ReportService": #"{"app":"trailmap","observation":"stopped"}"#,
        "io.waymark.Waker.ReportManager": "{}",
        "io.waymark.Protection.Status": "{}",
        "io.waymark.Protection.SetPassphrase": #"{"passphrase":"a stranger's"}"#,
        "io.waymark.Protection.ChangePassphrase": #"{"secret":"a","passphrase":"b"}"#,
        "io.waymark.Protection.AddPassphrase": #"{"secret":"a","passphrase":"b"}"#,
        "io.waymark.Protection.AddRecovery": #"{"secret":"a"}"#,
        "io.waymark.Protection.AddCredential": #"{"secret":"a"}"#,
        "io.waymark.Protection.Remove": #"{"secret":"a","number":1}"#,
        "io.waymark.Protection.SwitchOff": #"{"secret":"a"}"#,
        "io.waymark.Protection.RenewMachineSecret": "{}",
        "io.waymark.Protection.Lock": "{}",
        "io.waymark.Protection.Unlock": #"{"secret":"a"}"#,
        "io.waymark.Protection.Reset": #"{"user":1}"#,
        "io.waymark.Protection.Monitor": "{}",
        "io.waymark.Protection.MonitorCopyKey": #"{"recipient":"\#(publicKey)","isSealed":false}"#,
        "io.waymark.Protection.ReleaseCopyKey": "{}",
        "io.waymark.Reachability.GetPath": "{}",
        "io.waymark.Reachability.MonitorPath": "{}",
        "io.waymark.Reachability.GetTarget": #"{"host":"192.0.2.1","port":443}"#,
        "io.waymark.Reachability.MonitorTarget": #"{"host":"192.0.2.1"}"#,
        "io.waymark.Reachability.ReportTarget": #"{"host":"192.0.2.1","outcome":"failed"}"#,
    ]

    /// The full names of all methods that the daemon reports.
    public static func methods(of client: Client) throws -> [String] {
        try client.serviceInfo(timeout: .seconds(60)).interfaces.flatMap { name in
            let text = try client.interfaceText(name, timeout: .seconds(60))
            return try InterfaceDescription(parsing: text).methods.keys.sorted().map { "\(name).\($0)" }
        }
    }

    /// A call as it is sent.
    public static func message(_ method: String, _ parameters: String, _ form: Form) -> String {
        #"{"method":"\#(method)","parameters":\#(parameters)\#(form.rawValue)}"#
    }
}
