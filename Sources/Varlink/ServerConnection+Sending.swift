import Platform

// Sending to the client

extension ServerConnection {
    func send(_ reply: EncodedReply) {
        guard isOpen else { return }
        queue(reply.bytes, sent: output.isEmpty ? write(reply.bytes[...]) : 0)
    }

    func offer(_ offer: @escaping Call.Offer, missed: Int) {
        guard isOpen else { return }
        if output.isDrained {
            attempt(offer, dropped: missed)
        } else if output.offer(offer, missed: missed) {
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

    /// Sends an offered reply, or queues it as a whole if not even its first byte can be sent.
    private func attempt(_ offer: @escaping Call.Offer, dropped: Int) {
        let bytes = offer(dropped).bytes
        let count = write(bytes[...])
        guard count > 0 else { return output.putBack(offer, dropped: dropped) }
        laggingSince = nil
        queue(bytes, sent: count)
    }

    /// Queues a reply of the call in progress, of which `sent` bytes were already sent.
    private func queue(_ bytes: [UInt8], sent: Int) {
        current?.remember(bytes)
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
        let count = output.flush { write($0) }
        if count > 0 { laggingSince = nil }
        if let (offer, dropped) = output.removeOffer() { attempt(offer, dropped: dropped) }
        pump()
    }

    /// Sends bytes and returns how many the kernel accepted.
    private func write(_ bytes: ArraySlice<UInt8>) -> Int {
        guard let number = socket?.number else { return bytes.count }
        return UnixSocket.sendAtOnce(bytes, to: number)
    }
}
