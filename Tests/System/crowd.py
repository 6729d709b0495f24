"""A hundred clients of three apps, of which one may have positions."""

from expectation import eventually, expect

MAY, PARKED, STRANGERS = 60, 20, 20


class Crowd:
    """The clients, and their observations."""

    def __init__(self, scene):
        self.ferry = scene.streams_of("ferry", MAY)
        self.parked = scene.streams_of("parked", PARKED)
        self.stranger = scene.streams_of("stranger", STRANGERS)

    def accounts(self):
        return {"ferry": self.ferry.account(), "parked": self.parked.account(), "stranger": self.stranger.account()}

    def streams_again(self):
        """Waits until every client is connected, and every authorized one gets positions."""
        def all_do():
            silence = self.ferry.account()["silence"]
            return (silence is not None and silence < 0.5
                    and all(each["connected"] == count for each, count in
                            zip(self.accounts().values(), (MAY, PARKED, STRANGERS))))
        eventually("all clients are connected, and authorized ones get positions", all_do, 30,
                   or_show=lambda: str(self.accounts()))


def expect_silence(accounts):
    """Checks that unauthorized clients got no position, and that all of them got the reason."""
    for app in ("parked", "stranger"):
        expect(accounts[app]["positions"] == 0, f"no position for {app}", accounts[app])
        expect(accounts[app]["replies"] > 0, f"{app} got a reply", accounts[app])
    others = set(accounts["stranger"]["errors"]) - {"io.waymark.Location.Denied"}
    expect(not others, "only Denied for denied clients", accounts["stranger"])


def ends(accounts):
    return sum(each["ends"] for each in accounts.values())
