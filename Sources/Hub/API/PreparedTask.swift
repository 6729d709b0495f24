import HTTPServing
import Records

/// A task with what is known of it before it is performed.
struct PreparedTask: Sendable {
    let task: HubTask
    /// The token of a request that has one.
    var token: DeviceToken?
    /// The body of a request that saves and deletes records, or why it is refused; nil if it was not read yet.
    var modification: Result<ModifyRecords, FormatError>?

    /// A task of which nothing is known.
    init(_ task: HubTask) { self.task = task }
}

extension HubAPI {
    /// A task with what is known of it. What it reads is added to what the tasks read with which it is performed: of a request that
    /// saves records this is known if its device is. Who has sent it is found out only when it is performed, as for any other
    /// request.
    func prepared(_ task: HubTask, into ahead: inout ReadAhead) -> PreparedTask {
        var prepared = PreparedTask(task)
        guard task.isWriting, case .request(let request, let resource, let device) = task else { return prepared }
        prepared.token = request.authorization.flatMap { DeviceToken(authorization: $0) }
        if let token = prepared.token { store.readAhead(forToken: token.bytes, into: &ahead) }
        guard request.method == "POST", let device, case .zone(let zone, .records)? = resource,
            let key = request.headers["idempotency-key"].flatMap(RequestKey.init)
        else { return prepared }
        do throws(FormatError) {
            let body = try ModifyRecords(zone, json: request.body, limits: store.rules.limits)
            prepared.modification = .success(body)
            store.readAhead(for: body, by: .device(device.device, of: device.account), key: key, into: &ahead)
        } catch {
            prepared.modification = .failure(error)
        }
        return prepared
    }
}
