"""What pyproject.toml cannot say: networks/ of the checkout is a folder of the package.

Users of the checkout and of the package then read the same files.
"""

from setuptools import find_packages, setup

ROOMS = "golden", "hdl", "testbench", "formal", "fingerpost", "checker"

setup(
    packages=[
        *find_packages(include=[*ROOMS, *(f"{room}.*" for room in ROOMS)]),
        "fingerpost.networks",
    ],
    package_dir={"fingerpost.networks": "networks"},
    package_data={
        **{room: ["py.typed"] for room in ROOMS},
        "fingerpost.report": ["page.css", "page.js"],
        "fingerpost.networks": ["*.yaml", "*.txt"],
        "fingerpost.testbench.compiled": ["*.cpp", "*.h"],
    },
)
