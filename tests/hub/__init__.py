"""A Hub for tests on this machine: what the real clients need to create, fill, tag and read dataset repositories, and faults on order."""

from tests.hub.faults import Fault
from tests.hub.server import Hub, serve

__all__ = ["Fault", "Hub", "serve"]
