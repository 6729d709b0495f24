import HTTPServing
import Records

extension HubAPI {
    /// What a task reads, as far as that is known before it is performed. Of a request that saves records this is known if its
    /// device is: who has sent it is found out only when it is performed, as for any other request.
    func readAhead(for task: HubTask) -> ReadAhead {
        guard case .request(let request, let device) = task else { return ReadAhead() }
        var ahead = ReadAhead()
        if let authorization = request.authorization, let token = DeviceToken(authorization: authorization) {
            ahead.merge(store.readAhead(forToken: token.bytes))
        }
        guard request.method == "POST", let device, case .zone(let zone, .records)? = Resource(path: request.path),
            let key = request.headers["idempotency-key"].flatMap(RequestKey.init)
        else { return ahead }
        do throws(FormatError) {
            let body = try ModifyRecords(zone, json: request.body, limits: store.rules.limits)
            ahead.merge(store.readAhead(for: body, by: .device(device.device, of: device.account), key: key))
        } catch {
            // It is refused when it is performed.
        }
        return ahead
    }
}
