"""Users of Software Tools: the commands they give and how often; independent of any machine."""

from workloads.software_tools.users import users

__all__ = ["users"]
