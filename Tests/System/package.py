"""Other versions of the package that is tested, made of the same files."""

import os
import re
import subprocess


def repack(package, version, into):
    """The package under another version, uncompressed; the file's path."""
    tree = f"{into}/package-{version}"
    if not os.path.isdir(tree):
        subprocess.run(["dpkg-deb", "--raw-extract", package, tree], check=True)
        with open(f"{tree}/DEBIAN/control", encoding="utf-8") as file:
            control = file.read()
        with open(f"{tree}/DEBIAN/control", "w", encoding="utf-8") as file:
            file.write(re.sub(r"^Version: .*$", f"Version: {version}", control, flags=re.MULTILINE))
        subprocess.run(["dpkg-deb", "-Znone", "--build", tree, f"{tree}.deb"], check=True, stdout=subprocess.DEVNULL)
    return f"{tree}.deb"


def version_of(package):
    return subprocess.run(["dpkg-deb", "--field", package, "Version"], check=True, capture_output=True,
                          encoding="utf-8").stdout.strip()
