import Durations
import NetworkPaths
import Platform
import Resolver

/// Which names are being looked up, and which wait for their turn: what to do about it, and no more.
///
/// A name that several programs of one user ask for is one question; of another user's it tells nothing. Users have their turns, whatever many names one of them asks for: the
/// next is who has the fewest looked up. What there is no room or no turn for is told as not asked, and is no answer.
struct NameQueries {
    /// A question, and its process where it has one.
    typealias ID = UInt64

    /// What may be at once.
    struct Limits {
        /// Processes, those among them that have answered and are not gone yet; more only where a user has none.
        var running = 8
        /// Processes of one user: so that no user's names that hang take them all.
        var runningOfUser = 4
        /// Processes in all. Beyond `running` a process is started only for a user who has none.
        var runningInAll = 32
        /// Names that wait for a process.
        var waiting = 256
        /// Names of one user that wait for a process.
        var waitingOfUser = 128
        /// Who waits for an answer, all names together.
        var callers = 4_096
        /// Nanoseconds that a question waits for its answer.
        var patience: UInt64 = 5_000_000_000
        /// Nanoseconds that it waits for its turn: longer, so that all processes may run out of time and others have theirs.
        var queueing: UInt64 = 10_000_000_000
    }

    /// What is to be done.
    enum Effect: Equatable {
        /// Start a process for the name.
        case start(ID, HostName)
        /// End the process.
        case stop(ID)
        /// Tell everyone who asked the question; nil where nobody was asked.
        case notify(ID, NameAnswer?)
    }

    /// What is asked: users do not share an answer, else the time it takes would tell one what another watches.
    private struct Subject: Hashable {
        let name: HostName
        let uid: UInt32
    }

    private struct Query {
        let subject: Subject
        let share: UInt32
        var callers: Int
        var deadline: UInt64
    }

    private let limits: Limits
    private var queries: [ID: Query] = [:]
    /// The question that another of the same user may join.
    private var current: [Subject: ID] = [:]
    /// The oldest first.
    private var waiting: [ID] = []
    /// Which there are, and for whom.
    private var processes: [ID: UInt32] = [:]
    private var callers = 0
    private var lastID: ID = 0

    /// How many names were asked for that were asked for already.
    private(set) var joined: UInt64 = 0
    /// How many were not taken in.
    private(set) var refused: UInt64 = 0
    /// How many were given up.
    private(set) var expired: UInt64 = 0

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// How many processes there are.
    var processCount: Int { processes.count }
    /// How many names wait for one.
    var waitingCount: Int { waiting.count }
    /// When to look again; nil for never.
    var deadline: UInt64? { queries.values.map(\.deadline).min() }

    /// Takes a user's question in; nil where there is no room for it.
    /// - Parameter share: The user to whose turns it counts: one for all user ids without an account; by default the asker.
    mutating func query(
        _ name: HostName, for uid: UInt32, share: UInt32? = nil, at now: UInt64
    ) -> (id: ID, effects: [Effect])? {
        let share = share ?? uid
        guard callers < limits.callers else {
            refused += 1
            return nil
        }
        let subject = Subject(name: name, uid: uid)
        if let id = current[subject] {
            callers += 1
            joined += 1
            queries[id]?.callers += 1
            return (id, [])
        }
        let own = waiting.count { queries[$0]?.share == share }
        guard waiting.count < limits.waiting, own < limits.waitingOfUser else {
            refused += 1
            return nil
        }
        callers += 1
        lastID += 1
        queries[lastID] = Query(
            subject: subject, share: share, callers: 1, deadline: now.addingClamped(limits.queueing))
        current[subject] = lastID
        waiting.append(lastID)
        return (lastID, startNext(at: now))
    }

    /// One of those who asked does not want to know any more.
    mutating func withdraw(from id: ID, at now: UInt64) -> [Effect] {
        guard let query = queries[id] else { return [] }
        guard query.callers == 1 else {
            callers -= 1
            queries[id]?.callers -= 1
            return []
        }
        close(id)
        return processes[id] != nil ? [.stop(id)] : []
    }

    /// A process has answered, and is to go.
    mutating func answered(_ id: ID, _ answer: NameAnswer) -> [Effect] {
        close(id) ? [.stop(id), .notify(id, answer)] : []
    }

    /// A process is gone; without an answer before, this is told instead.
    mutating func ended(_ id: ID, at now: UInt64, withoutAnswer substitute: @autoclosure () -> NameAnswer?) -> [Effect]
    {
        processes[id] = nil
        let reported: [Effect] = close(id) ? [.notify(id, substitute())] : []
        return reported + startNext(at: now)
    }

    /// Time has passed: questions that have waited too long are given up.
    mutating func timePassed(at now: UInt64) -> [Effect] {
        let late = queries.filter { $0.value.deadline <= now }.keys.sorted()
        var effects: [Effect] = []
        for id in late where close(id) {
            expired += 1
            if processes[id] != nil {
                effects += [.stop(id), .notify(id, .notAnswering)]
            } else {
                effects.append(.notify(id, nil))
            }
        }
        return effects
    }

    /// What was asked before now may be answered as it was before: who asks from now on asks anew.
    mutating func networkChanged() {
        // Those that wait have asked nobody yet.
        for (subject, id) in current where processes[id] != nil { current[subject] = nil }
    }

    private mutating func startNext(at now: UInt64) -> [Effect] {
        var effects: [Effect] = []
        while let index = nextWaiting {
            let id = waiting.remove(at: index)
            guard let query = queries[id] else { continue }
            queries[id]?.deadline = now.addingClamped(limits.patience)
            processes[id] = query.share
            effects.append(.start(id, query.subject.name))
        }
        return effects
    }

    /// Whose turn it is: the oldest question of those whose user has the fewest processes; nil where nobody may have another.
    private var nextWaiting: Int? {
        var running: [UInt32: Int] = [:]
        for share in processes.values { running[share, default: 0] += 1 }
        let load = waiting.map { id in queries[id].flatMap { running[$0.share] } ?? 0 }
        guard let index = load.indices.min(by: { (load[$0], $0) < (load[$1], $1) }) else { return nil }
        let most = load[index] == 0 ? max(limits.running, limits.runningInAll) : limits.running
        return processes.count < most && load[index] < limits.runningOfUser ? index : nil
    }

    @discardableResult private mutating func close(_ id: ID) -> Bool {
        guard let query = queries.removeValue(forKey: id) else { return false }
        callers -= query.callers
        if current[query.subject] == id { current[query.subject] = nil }
        waiting.removeAll { $0 == id }
        return true
    }
}
