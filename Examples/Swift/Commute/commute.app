# ~/.config/waymark/apps/commute.app
[App]
Name=Commute
Exec=/usr/local/bin/commute
UserUnit=commute.service
WhenInUseUsageDescription=Says when you leave home and reach your work.
AlwaysAndWhenInUseUsageDescription=Says when you leave home and reach your work, also while no window is open.

[TemporaryUsage]
Commute=Home and work are smaller than a reduced position.
