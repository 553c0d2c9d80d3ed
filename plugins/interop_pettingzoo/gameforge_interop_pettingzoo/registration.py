"""Names for environments: importing this module registers each installed game, as `gameforge/othello-v0`.

    import gameforge_interop_pettingzoo.registration
    import gymnasium

    gymnasium.make("gameforge/othello-v0", opponent="random")
    gymnasium.make_vec("gameforge/othello-v0", num_envs=256)
    pettingzoo.make("aec", "gameforge/othello-v0")  # PettingZoo 1.27 or newer

A game whose rules need parameters gets them as text: `gymnasium.make("gameforge/openspiel-v0",
game="openspiel:name=connect_four")`.
"""

import importlib.util

import gymnasium

from gameforge import default_registry

_HERE = "gameforge_interop_pettingzoo"
_VERSION = 0


def register() -> None:
    """Register the installed games that are not registered yet."""
    names = {f"gameforge/{game}-v{_VERSION}": game for game in default_registry().names("rules")}
    for name, game in names.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point=f"{_HERE}.environments:AgainstPlayer",
                vector_entry_point=f"{_HERE}.environments:GameVectorEnv",
                kwargs={"game": game},
            )
    if importlib.util.find_spec("pettingzoo.env_registry") is not None:
        from pettingzoo.env_registry.registration import aec_registry
        from pettingzoo.env_registry.registration import register as register_aec

        for name, game in names.items():
            if name not in aec_registry:
                register_aec("aec", name, entry_point=f"{_HERE}.environments:GameEnv", kwargs={"game": game})


register()
