# ~/.config/waymark/apps/tide-clock.app
[App]
Name=Tide Clock
UserUnit=tide-clock.scope
WhenInUseUsageDescription=Finds the nearest harbour, whose tides it shows.
