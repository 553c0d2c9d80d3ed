"""Interface of components that are composed of others, such as a gated oracle or an ensemble of players."""

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from gameforge.interfaces.rules import Rules
    from gameforge.plugins.registry import Registry


@runtime_checkable
class Composite(Protocol):
    """A component that names other components or files in its parameters, and must load them before it can work."""

    def composed(self, registry: "Registry", rules: "Rules") -> Any:
        """Return the component of the same kind that does the work.

        Raises GameforgeError if a named component or file is unknown or does not fit the rules.
        """
        ...


def composed(component: Any, registry: "Registry", rules: "Rules") -> Any:
    """Resolve a Composite to the component that does the work; return any other component unchanged."""
    return component.composed(registry, rules) if isinstance(component, Composite) else component
