"""One client for every role that a model plays, one store of every reply."""

from stages.llm.client import Client
from stages.llm.request import Message, Reply, Request, Usage
from stages.llm.settings import ClientSettings, Role

__all__ = ["Client", "ClientSettings", "Message", "Reply", "Request", "Role", "Usage"]
