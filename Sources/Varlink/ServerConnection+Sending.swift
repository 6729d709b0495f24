import Platform

// What leaves for the client

extension ServerConnection {
    func send(_ reply: EncodedReply, isLast: Bool = false) {
        guard isOpen, isLast || phase == .running else { return }
        if isLast { (isAnswered, omission) = (true, nil) }
        guard let slot else { return queue(reply.bytes, sent: output.isEmpty ? write(reply.bytes[...]) : 0) }
        if isLeftOut(reply.bytes) { return }
        let wasEmpty = output.isEmpty
        do throws(OutputQueue<Call.Offer>.Full) {
            try output.append(reply.bytes)
        } catch {
            return close(.tooManyReplies)
        }
        remember(reply.bytes)
        keep()
        if wasEmpty, sendKept(slot) > 0 { laggingSince = nil }
        settle()
    }

    func offer(_ offer: @escaping Call.Offer) {
        guard isOpen, phase == .running else { return }
        if output.isDrained {
            attempt(offer, dropped: 0)
        } else if output.offer(offer) {
            server?.count(\.droppedOffers)
        }
        settle()
    }

    func discardOffered() -> Int {
        let discarded = output.discardOffer()
        if discarded > 0 { server?.count(\.discardedOffers) }
        settle()
        return discarded
    }

    /// Sends an offered reply, or keeps it whole where not even its first byte can go.
    private func attempt(_ offer: @escaping Call.Offer, dropped: Int) {
        let bytes = offer(dropped).bytes
        guard slot == nil else { return attemptKept(bytes, offer, dropped) }
        let count = write(bytes[...])
        guard count > 0 else { return output.putBack(offer, dropped: dropped) }
        laggingSince = nil
        queue(bytes, sent: count)
    }

    /// The same where it is kept first.
    private func attemptKept(_ bytes: [UInt8], _ offer: @escaping Call.Offer, _ dropped: Int) {
        guard let slot, !isLeftOut(bytes) else { return }
        do throws(OutputQueue<Call.Offer>.Full) {
            try output.append(bytes)
        } catch {
            return close(.tooManyReplies)
        }
        let before = (told, latest)
        remember(bytes)
        keep()
        guard sendKept(slot) == 0 else {
            laggingSince = nil
            return settle()
        }
        // It may be replaced yet.
        output.retract()
        (told, latest) = before
        conversationChanged()
        keep()
        output.putBack(offer, dropped: dropped)
    }

    func queue(_ bytes: [UInt8], sent: Int) {
        if sent < bytes.count {
            do throws(OutputQueue<Call.Offer>.Full) {
                try output.append(bytes, sent: sent)
            } catch {
                return close(.tooManyReplies)
            }
        }
        settle()
    }

    func flush() {
        guard isOpen else { return }
        let count = slot.map(sendKept) ?? output.flush { write($0) }
        if count > 0 { laggingSince = nil }
        if let (offer, dropped) = output.takeOffer() { attempt(offer, dropped: dropped) }
        pump()
    }

    /// How many of the bytes the kernel took.
    func write(_ bytes: ArraySlice<UInt8>) -> Int {
        guard let number = socket?.number else { return bytes.count }
        return UnixSocket.sendAtOnce(bytes, to: number)
    }
}
