"""A named check, and the groups that share a machine."""

CHECKS = []


class Check:
    """The claim, as a sentence, and the function that checks it and returns its figure."""

    def __init__(self, group, name, function, is_long):
        self.group, self.name, self.function, self.is_long = group, name, function, is_long


def check(name, is_long=False):
    """Registers a function of the group's scene as a check. A long check is not part of the short form."""
    def register(function):
        CHECKS.append(Check(function.__module__, name, function, is_long))
        return function
    return register
