"""Components made of others that their parameters name, as a gated oracle, or several players in one."""

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from gameforge.interfaces.rules import Rules
    from gameforge.plugins.registry import Registry


@runtime_checkable
class Composite(Protocol):
    """A component that needs the registry, or files, before it can do what its kind does."""

    def composed(self, registry: "Registry", rules: "Rules") -> Any:
        """The component of the same kind that does it. Raises GameforgeError for what is unknown or does not fit."""
        ...


def composed(component: Any, registry: "Registry", rules: "Rules") -> Any:
    """The component that does the work: what a Composite is made into, any other component itself."""
    return component.composed(registry, rules) if isinstance(component, Composite) else component
