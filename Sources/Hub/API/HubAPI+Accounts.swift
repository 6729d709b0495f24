import HTTPServing
import JSONText
import Location
import Records

extension HubAPI {
    /// Exchanges the code of an invitation for a token.
    func join(_ request: ServedRequest, at now: UTCTime) throws(HubFailure) -> HubAnswer {
        let code = (try? JSON.parse(request.body, maximumDepth: 4, maximumValues: 64))?["code"]?.stringValue
        guard let code, let secret = InvitationCode(code) else {
            throw .refused(
                HubError(
                    400, "malformed",
                    #"The body has to be {"code":"…"} with a code of waymark-hub invite: 16 letters and digits."#))
        }
        let token = DeviceToken(random(DeviceToken.size))
        let result = try engine { () throws(EngineFailure) in
            try store.join(code: secret.bytes, token: token.bytes, at: now)
        }
        guard case .success(let device) = result else {
            throw .refused(
                HubError(
                    403, "unknownCode",
                    "This code is not accepted: it has expired, was used, or is mistyped. Make another one with"
                        + " waymark-hub invite."))
        }
        var answer = HubAnswer(
            HTTPReply(
                201,
                json: json(device.id) { writer in writer.member("token", token.text) }))
        answer.event = .joined(device.id)
        return answer
    }

    /// The device that sends the request, or its removal.
    func device(_ request: ServedRequest, _ caller: Caller, at now: UTCTime) throws(HubFailure) -> HubAnswer {
        guard let id = caller.accountDevice else { throw .refused(.missingToken) }
        guard request.method == "DELETE" else { return HubAnswer(HTTPReply(200, json: json(id))) }
        var answer = HubAnswer(HTTPReply(204))
        answer.pushes = try engine { () throws(EngineFailure) in
            let pushes = try store.removeKey(of: id, at: now)
            _ = try store.remove(id)
            return pushes
        }
        answer.event = .removed(id)
        return answer
    }

    /// The pending pushes of the device, or their acknowledgement.
    func pushes(_ request: ServedRequest, _ caller: Caller) throws(HubFailure) -> HubAnswer {
        guard let id = caller.accountDevice else { throw .refused(.missingToken) }
        if request.method == "GET" {
            let pushes = try granted { () throws(EngineFailure) in try store.pushes(to: caller) }
            return HubAnswer(HTTPReply(200, json: pushes.json))
        }
        let pushes = try read { () throws(FormatError) in
            try [Push](to: id, json: request.body, limits: store.rules.limits)
        }
        return try done { (store) throws(EngineFailure) in try store.acknowledge(pushes, by: caller) }
    }

    private func json(
        _ id: AccountDevice, _ more: (inout JSONWriter) -> Void = { _ in }
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("account", id.account.text)
            writer.member("device", id.device.text)
            writer.member("identifierKey", HexText.text(store.signer.identifierKey(of: id.account)))
            more(&writer)
        }
        return writer.bytes
    }
}

extension Caller {
    /// The device; nil without an account.
    var accountDevice: AccountDevice? {
        guard case .device(let device, let account) = self else { return nil }
        return AccountDevice(account, device)
    }
}
