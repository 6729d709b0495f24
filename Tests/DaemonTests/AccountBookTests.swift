import Journal
import Platform
import Testing

@testable import Daemon

/// The binding of stored data to accounts, and the consequences of the user database's replies.
@Suite struct AccountBookTests {
    private static let uid: UInt32 = 1000
    private static let weekSeconds: Int64 = 7 * 86_400
    private static let week = Duration.seconds(weekSeconds)
    private static let hour: UInt64 = 3_600

    private var book = AccountBook()
    private var seconds: UInt64 = 1_000
    private var utcSeconds: Int64 = 1_800_000_000

    private static func local(_ name: String) -> AccountAnswer { .present(name: name, isLocal: true) }
    private static func remote(_ name: String) -> AccountAnswer { .present(name: name, isLocal: false) }

    private var state: StoredAccount.State? { book[Self.uid]?.state }
    private var left: Int64? { book.secondsLeft(Self.uid, retention: Self.week) }
    private var isDoubted: Bool { book.isDoubted(Self.uid) }
    private var isExpired: Bool { book.isExpired(Self.uid, retention: Self.week, at: now) }
    private var now: AccountBook.Instant {
        AccountBook.Instant(bootNanoseconds: seconds * 1_000_000_000, utcMicroseconds: utcSeconds * 1_000_000)
    }

    /// Applies this reply of the user database, so many seconds after the previous one.
    private mutating func observe(_ answer: AccountAnswer, after passed: UInt64 = 0, hasStored: Bool = true) {
        seconds += passed
        utcSeconds += Int64(passed)
        book.watch(Self.uid)
        book.observe(
            Self.uid, answer, at: now, confirmation: .seconds(2), hasStored: hasStored)
    }

    private mutating func remove() {
        observe(Self.local("one"))
        observe(.absent)
        observe(.absent, after: 2)
    }

    @Test mutating func `an account counts as removed when two checks some time apart miss it, and not before`() {
        observe(Self.local("one"))
        observe(.absent)
        #expect(state == .present && isDoubted, "one reply changes nothing")
        observe(.absent, after: 1)
        #expect(state == .present, "nor do two at once")
        observe(.absent, after: 1)
        #expect(state == .removed && book.suspended == [Self.uid])
    }

    @Test mutating func `an unknown result changes nothing and confirms nothing`() {
        observe(Self.local("one"))
        for _ in 0..<100 { observe(.unknown("no server"), after: Self.hour) }
        #expect(state == .present && !isDoubted)
        for _ in 0..<10 {
            observe(.absent, after: 10)
            observe(.unknown("no server"), after: 10)
        }
        #expect(state == .present)
    }

    @Test mutating func `an account that alternates between present and missing is never removed`() {
        observe(Self.remote("one"))
        for _ in 0..<100 {
            observe(.absent, after: 30)
            observe(Self.remote("one"), after: 30)
        }
        #expect(state == .present && book.suspended.isEmpty)
    }

    @Test mutating func `data is erased after a week in which every check found the account missing`() {
        remove()
        #expect(!isExpired && left == Self.weekSeconds)
        for _ in 0..<(7 * 24 - 1) { observe(.absent, after: Self.hour) }
        #expect(!isExpired)
        observe(.absent, after: Self.hour)
        #expect(isExpired)
        observe(.unknown("no server"))
        #expect(!isExpired, "not while the result is unknown")
    }

    @Test mutating func `an erasure that has failed is repeated after five minutes, and not at once`() {
        remove()
        for _ in 0..<(7 * 24) { observe(.absent, after: Self.hour) }
        #expect(isExpired && book.pauseOfErasure(Self.uid, at: now) == nil)
        book.couldNotErase(Self.uid, at: now)
        observe(.absent, after: 299)
        #expect(!isExpired && book.pauseOfErasure(Self.uid, at: now) == .seconds(1))
        observe(.absent, after: 1)
        #expect(isExpired && book.pauseOfErasure(Self.uid, at: now) == nil)
    }

    @Test mutating func `a wall clock set years ahead erases nothing`() {
        remove()
        utcSeconds += 20 * 365 * 86_400
        observe(.absent, after: 60)
        utcSeconds -= 40 * 365 * 86_400
        observe(.absent, after: 60)
        #expect(!isExpired && left == Self.weekSeconds - 120)
    }

    @Test mutating func `a late check counts two hours, and one after an unknown result counts nothing`() {
        remove()
        observe(.absent, after: 30 * 86_400)
        #expect(left == Self.weekSeconds - 7_200)
        observe(.unknown("no server"), after: 60)
        observe(.absent, after: 3_000)
        #expect(left == Self.weekSeconds - 7_200)
        // Nor does the time without a daemon count after a restart.
        book = AccountBook([Self.uid: book[Self.uid] ?? StoredAccount(name: nil)])
        observe(.absent, after: 86_400)
        #expect(left == Self.weekSeconds - 7_200)
    }

    @Test mutating func `a local account that was removed and exists again waits for an operator`() {
        remove()
        observe(Self.local("one"), after: 60)
        #expect(state == .returned && book.suspended == [Self.uid])
        for _ in 0..<1_000 { observe(Self.local("one"), after: Self.hour) }
        #expect(state == .returned && !isExpired && left == nil)
        book.restore(Self.uid, to: "one")
        #expect(state == .present)
    }

    @Test mutating func `a directory server's account that was missing and exists again is used again`() {
        observe(Self.remote("one"))
        observe(.absent)
        observe(.absent, after: 2)
        #expect(state == .removed)
        observe(Self.remote("one"), after: 60)
        #expect(state == .present && book.suspended.isEmpty)
    }

    @Test mutating func `a different name waits for an operator and is never erased automatically`() {
        observe(Self.local("one"))
        observe(Self.local("eve"))
        #expect(state == .present)
        observe(Self.local("eve"))
        #expect(state == .renamed && book[Self.uid]?.otherName == "eve" && book[Self.uid]?.name == "one")
        for _ in 0..<1_000 { observe(Self.local("eve"), after: Self.hour) }
        #expect(state == .renamed && !isExpired)
        observe(Self.local("one"))
        #expect(state == .present)
    }

    @Test mutating func `a different account with a removed account's user id gets nothing until the data is erased`() {
        remove()
        observe(Self.local("eve"), after: 60)
        #expect(state == .replaced && book.suspended == [Self.uid])
        for _ in 0..<(7 * 24) { observe(Self.local("eve"), after: Self.hour) }
        #expect(isExpired)
        book.erased(Self.uid, at: AccountBook.Instant(bootNanoseconds: 0, utcMicroseconds: 0))
        #expect(book[Self.uid] == StoredAccount(name: "eve"))
    }

    @Test mutating func `the processes of an erased account get nothing until an account has the user id`() {
        remove()
        book.erased(Self.uid, at: AccountBook.Instant(bootNanoseconds: 0, utcMicroseconds: 0))
        #expect(state == .erased && book.suspended == [Self.uid])
        observe(.absent, after: 86_400)
        #expect(state == .erased && !isExpired)
        observe(Self.local("eve"))
        #expect(book[Self.uid] == StoredAccount(name: "eve"))
    }

    @Test mutating func `data of a user id without an account is used until an account gets the user id`() {
        observe(.absent)
        #expect(book[Self.uid] == nil, "unknown after one reply")
        observe(.absent, after: 2)
        #expect(book[Self.uid] == StoredAccount(name: nil))
        for _ in 0..<1_000 { observe(.absent, after: Self.hour) }
        #expect(state == .present && !isExpired)
        for _ in 0..<2 { observe(Self.local("eve")) }
        #expect(state == .replaced)
        observe(.absent)
        #expect(state == .present)
    }

    /// Reports the birth time of the account's home.
    private mutating func observeHome(_ birth: Int64?) {
        let now = AccountBook.Instant(
            bootNanoseconds: seconds * 1_000_000_000, utcMicroseconds: utcSeconds * 1_000_000)
        book.observeHome(Self.uid, bornAt: birth, at: now)
    }

    @Test mutating func `an account whose home is newer than recorded was created again`() {
        observe(Self.local("one"))
        observeHome(100)
        #expect(book[Self.uid] == StoredAccount(name: "one", homeBirth: 100))
        for birth in [nil, 100, 90, nil] as [Int64?] {
            observeHome(birth)
            #expect(book[Self.uid] == StoredAccount(name: "one", homeBirth: 100), "\(String(describing: birth))")
        }
        observeHome(101)
        #expect(state == .returned && book.suspended == [Self.uid])
        observe(Self.local("one"), after: Self.hour)
        observeHome(101)
        #expect(state == .returned && !isExpired, "an operator decides")
        book.restore(Self.uid, to: "one")
        observeHome(101)
        #expect(book[Self.uid] == StoredAccount(name: "one", homeBirth: 101))
    }

    @Test mutating func `the age of a home means nothing for a user id without its account`() {
        observe(.absent)
        observe(.absent, after: 2)
        observeHome(100)
        #expect(book[Self.uid] == StoredAccount(name: nil))
        observe(Self.local("eve"))
        observe(Self.local("eve"))
        observeHome(101)
        #expect(state == .replaced)
    }

    @Test mutating func `an account that a directory server has again is as old as before`() {
        observe(Self.remote("one"))
        observeHome(100)
        observe(.absent)
        observe(.absent, after: 2)
        #expect(state == .removed)
        observe(Self.remote("one"), after: 60)
        #expect(state == .present)
        observeHome(101)
        #expect(state == .returned)
    }

    @Test mutating func `without stored data nothing is suspended except running processes`() {
        observe(Self.local("one"))
        for _ in 0..<2 { observe(Self.local("two"), hasStored: false) }
        #expect(book[Self.uid] == StoredAccount(name: "two"))
        observe(.absent, hasStored: false)
        observe(.absent, after: 2, hasStored: false)
        #expect(state == .erased)
    }
}
