import Durations
import Glibc
import Platform

// Kept for the next process

extension ServerConnection {
    /// What is kept of it is to be written anew.
    func conversationChanged() {
        head = []
    }

    func keepIfChanged() {
        if head.isEmpty { keep() }
    }

    /// Keeps how it stands now.
    func keep() {
        guard let slot, isOpen else { return }
        if head.isEmpty {
            var kept = KeptConversation()
            kept.listenerName = listenerName
            kept.note = note
            kept.input = Array(state.rest)
            kept.hasInputEnded = state.hasInputEnded
            if let current, !isAnswered { kept.call = current.repeated }
            kept.told = told
            head = kept.encoded
        }
        let waiting = output.waiting
        slot.keep(head, output: waiting.messages, sentOfFirst: waiting.sentOfFirst, received: received, latest: latest)
    }

    /// Sends what is kept, or what waits where it is too long to be kept.
    func sendKept(_ slot: KeptSlot) -> Int {
        guard let number = socket?.number, !output.isEmpty else { return 0 }
        if slot.hasSent { keep() }
        guard slot.isKept else { return output.flush { write($0) } }
        var left = slot.send(to: number)
        return output.flush { rest in
            defer { left -= min(left, rest.count) }
            return min(left, rest.count)
        }
    }

    /// Remembers that something is said in reply to the call in progress.
    func remember(_ bytes: [UInt8]) {
        guard let current, !isAnswered else { return conversationChanged() }
        latest = KeptDigest.of(bytes)
        guard case .unlessTold = server?.repetition(current.request) else { return }
        told.append(latest)
        if told.count > KeptConversation.mostTold { told.removeFirst() }
        conversationChanged()
    }

    func isLeftOut(_ bytes: [UInt8]) -> Bool {
        guard let omission else { return false }
        switch omission.repetition {
        case .unlessTold: return omission.told.contains(KeptDigest.of(bytes))
        case .unlessSame:
            self.omission = nil
            return omission.latest == KeptDigest.of(bytes)
        case .withoutFirstReply:
            self.omission = nil
            return omission.latest != 0
        case .never: return false
        }
    }

    /// Has it kept from now on, or tries again later.
    func enterStore() {
        guard keepsAt != nil, let number = socket?.number, let keeper = server?.keeper else { return }
        slot = keeper.keep(number, of: peer, hasPrecedence: current?.wantsMore ?? false || phase == .leaving) {
            slot = $0
            conversationChanged()
            keep()
        }
        keepsAt = slot == nil ? now.addingClamped(Self.storePause) : nil
    }

    func letGo() {
        guard let slot, let number = socket?.number else { return }
        // The store has it too: the client is to learn now that it is over.
        shutdown(number, Int32(SHUT_RDWR))
        self.slot = nil
        server?.keeper?.letGo(slot)
    }

    /// Says nothing new any more, and hears nothing.
    func prepareToLeave() {
        guard isOpen else { return }
        phase = .leaving
        if slot == nil { enterStore() }
        // One that cannot be kept goes on until the process ends.
        if slot == nil { phase = .running }
        settle()
    }

    /// The next process goes on with it.
    func leave() {
        guard let slot, slot.isKept else { return letGo() }
        self.slot = nil
    }

    /// Whether an earlier process kept it, and it rests yet.
    public var isResting: Bool { phase == .resting }

    /// The call that goes on with it.
    public var restingCall: CallRequest? { isResting ? current?.request : nil }

    /// Goes on where the earlier process stopped.
    public func goOn() {
        guard isOpen, phase == .resting, let slot else { return }
        phase = .running
        slot.attempt {
            flush()
            if let current, isOpen { again(current) }
            pump()
            keepIfChanged()
        }
        settle()
    }

    func again(_ call: Call) {
        guard let server else { return }
        let repetition = server.repetition(call.request)
        if case .never = repetition { return close(.interrupted) }
        omission = Omission(repetition: repetition, told: told, latest: latest)
        server.dispatch(call)
        if case .unlessTold = repetition { omission = nil }
        guard call.request.oneway, !call.isOver else { return }
        call.finishOneway()
        finished(call)
    }
}
