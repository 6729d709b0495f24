import Durations
import NetworkPaths
import Platform
import Resolver

/// Schedules name lookups: which names are being looked up and which are queued. It returns the effects to perform and
/// performs none itself.
///
/// Several programs of one user that request the same name share one lookup. Different users do not share lookups.
/// Queued lookups are scheduled fairly: the next one belongs to the user with the fewest running processes, however
/// many names one user requests. A request that finds no room, or stays in the queue for too long, ends as "not looked
/// up", which is no statement about the name.
struct NameQueries {
    /// Identifies a lookup, and its process if there is one.
    typealias ID = UInt64

    /// The limits of concurrent and queued work.
    struct Limits {
        /// Processes, including those that have replied but not exited yet. Only a user without any process may exceed
        /// this.
        var running = 8
        /// Processes of one user, so that one user's lookups that hang cannot occupy all of them.
        var runningOfUser = 4
        /// The absolute maximum of processes. Beyond `running`, a process is started only for a user who has none.
        var runningInAll = 32
        /// Names queued for a process.
        var waiting = 256
        /// Names of one user queued for a process.
        var waitingOfUser = 128
        /// Requests that wait for a result, over all names.
        var callers = 4_096
        /// Nanoseconds that a running lookup may take.
        var patience: UInt64 = 5_000_000_000
        /// Nanoseconds that a lookup may be queued. This is longer than `patience`, so that queued lookups still run if
        /// all running ones time out.
        var queueing: UInt64 = 10_000_000_000
    }

    /// An effect to perform.
    enum Effect: Equatable {
        /// Start a process for the name.
        case start(ID, HostName)
        /// End the process.
        case stop(ID)
        /// Report the result to every request of this lookup; nil if no name server was queried.
        case notify(ID, NameAnswer?)
    }

    /// The key of a lookup. Users do not share one, because the response time would reveal which names another user
    /// watches.
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
    /// The lookup that a further request of the same user for the same name can join.
    private var current: [Subject: ID] = [:]
    /// The queued lookups, oldest first.
    private var waiting: [ID] = []
    /// The running processes, and the user whose share each counts against.
    private var processes: [ID: UInt32] = [:]
    private var callers = 0
    private var lastID: ID = 0

    /// The number of requests that joined a lookup already queued or running.
    private(set) var joined: UInt64 = 0
    /// The number of requests refused for lack of room.
    private(set) var refused: UInt64 = 0
    /// The number of lookups that timed out.
    private(set) var expired: UInt64 = 0

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// The number of running processes.
    var processCount: Int { processes.count }
    /// The number of names queued for a process.
    var waitingCount: Int { waiting.count }
    /// When to call `timePassed` next, in nanoseconds of the monotonic clock; nil for never.
    var deadline: UInt64? { queries.values.map(\.deadline).min() }

    /// Adds a user's request; returns nil if there is no room for it.
    /// - Parameter share: The user whose limits the request counts against: one for all user ids without an account; by
    ///   default the requesting user.
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

    /// Withdraws one request. The lookup ends with its last request.
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

    /// Called when a process has replied: it is stopped now.
    mutating func answered(_ id: ID, _ answer: NameAnswer) -> [Effect] {
        close(id) ? [.stop(id), .notify(id, answer)] : []
    }

    /// Called when a process has exited. `substitute` is reported if the process had not replied.
    mutating func ended(_ id: ID, at now: UInt64, withoutAnswer substitute: @autoclosure () -> NameAnswer?) -> [Effect]
    {
        processes[id] = nil
        let reported: [Effect] = close(id) ? [.notify(id, substitute())] : []
        return reported + startNext(at: now)
    }

    /// Gives up the lookups whose deadline has passed.
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

    /// Prevents later requests from joining a running lookup, whose result may describe the network before the change.
    mutating func networkChanged() {
        // A queued lookup has queried no server yet, so it can still be joined.
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

    /// The index of the next queued lookup: the oldest of the users with the fewest processes; nil if none may start.
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
