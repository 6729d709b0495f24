"""A named check, and the groups that share a machine."""

CHECKS = []


class Check:
    """What holds, as a sentence, and the function that looks: it returns its figure."""

    def __init__(self, group, name, function, is_long):
        self.group, self.name, self.function, self.is_long = group, name, function, is_long


def check(name, is_long=False):
    """Makes a check of a function that takes the group's scene. A long one is left out of the short form."""
    def register(function):
        CHECKS.append(Check(function.__module__, name, function, is_long))
        return function
    return register
