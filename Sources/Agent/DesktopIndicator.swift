import Interfaces

/// The one notification that says which apps use the location in the background. It is replaced in place.
struct DesktopIndicator {
    private var holders = Holders()
    private var card: DesktopDialogue.Card?
    /// What it says on the screen or on its way there, and what it is to say.
    private var said: [String] = []
    private var wanted: [String] = []

    /// Takes over which apps there are now, and returns all of them.
    mutating func update(_ holds: [AgentMessage.Hold]) -> [AgentMessage.Hold] {
        _ = holders.update(holds)
        return holders.apps
    }

    /// What makes the notification say these lines, or go where there are none.
    mutating func effects(_ lines: [String], tag: inout Int) -> [DesktopDialogue.Effect] {
        wanted = lines
        guard wanted != said else { return [] }
        // One that is on its way has no number yet to be replaced by: `shown` goes on from there.
        if let card, card.number == nil { return [] }
        guard let first = lines.first else { return close() }
        tag += 1
        let replaced = card?.number
        card = DesktopDialogue.Card(tag: tag)
        said = lines
        let notification = DesktopNotification(summary: first, lines: Array(lines.dropFirst()), buttons: [])
        return [.show(tag: tag, notification, replacing: replaced)]
    }

    /// Its number; nil where the tag is another's.
    mutating func shown(_ tag: Int, as number: UInt32, lastTag: inout Int) -> [DesktopDialogue.Effect]? {
        guard card?.tag == tag else { return nil }
        card?.number = number
        return effects(wanted, tag: &lastTag)
    }

    /// It could not be shown.
    mutating func notShown(_ tag: Int) {
        if card?.tag == tag { card = nil }
    }

    /// Somebody has put it away: it comes again when other apps hold.
    mutating func closed(_ number: UInt32) {
        if card?.number == number { card = nil }
    }

    /// What takes it away.
    mutating func close() -> [DesktopDialogue.Effect] {
        defer {
            card = nil
            said = []
        }
        return card?.number.map { [.close($0)] } ?? []
    }
}
