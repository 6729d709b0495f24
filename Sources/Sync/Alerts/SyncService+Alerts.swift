import Storage
import SyncInterface
import Varlink

/// Alerts of subscriptions, for who shows them to the person.
extension SyncService {
    func getAlerts(_ call: MethodCall<SyncInterface.GetAlerts>) throws(Failure) {
        try requirePerson(call.connection)
        try requireOpenCopy()
        call.reply(.init(alerts: try storing { () throws(StorageError) in try alerts.alerts() }))
    }

    func acknowledgeAlert(_ call: MethodCall<SyncInterface.AcknowledgeAlert>) throws(Failure) {
        try requirePerson(call.connection)
        try requireOpenCopy()
        let parameters = call.parameters
        guard parameters.count > 0 else {
            throw .invalidArgument(
                argument: "count", message: "It is the number of changes that were shown, 1 at least.")
        }
        try storing { () throws(StorageError) in try alerts.acknowledge(parameters.number, parameters.count) }
        call.reply(.init())
    }

    func listAlertApps(_ call: MethodCall<SyncInterface.ListAlertApps>) throws(Failure) {
        try requirePerson(call.connection)
        try requireOpenCopy()
        call.reply(.init(apps: try storing { () throws(StorageError) in try alerts.apps() }))
    }

    func allowAlerts(_ call: MethodCall<SyncInterface.AllowAlerts>) throws(Failure) {
        try requirePerson(call.connection)
        try requireOpenCopy()
        let (app, isAllowed) = (call.parameters.app, call.parameters.allowed)
        guard try storing({ () throws(StorageError) in try alerts.knows(app) }) else {
            throw .invalidArgument(
                argument: "app", message: "No app of this name uses containers here. `waymark sync alerts` lists them.")
        }
        try storing { () throws(StorageError) in try alerts.allow(app, isAllowed) }
        call.reply(.init())
    }
}
