"""Stopping rule for the training of outputs and candidates, as in FANN ([Nissen2007])."""

import attrs


@attrs.frozen(kw_only=True)
class Limits:
    """Limits on the number of epochs, which are numbered from 0."""

    most: int
    """Maximum number of epochs."""
    least: int
    """Minimum number of epochs before stagnation ends the training."""
    patience: int
    """Epochs that may pass without a significant change."""
    change: float
    """Share of the gain from which a change is significant."""


class Patience:
    """Counts the epochs of one training and raises its target as it progresses."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._target, self._backslide = 0.0, -float("inf")
        self._until = limits.most
        self.epochs = 0

    def ends(self, gain: float) -> bool:
        """Whether the training ends with this epoch. `gain`: progress since the first epoch; greater is better.

        A gain above the target, or below the band that counts as stagnation, sets a new target.
        """
        limits, epoch = self._limits, self.epochs
        self.epochs += 1
        if (
            (gain < self._target or gain > self._backslide)
            if self._target < 0
            else (gain > self._target or gain < self._backslide)
        ):
            self._target, self._backslide = gain * (1 + limits.change), gain * (1 - limits.change)
            self._until = epoch + limits.patience
        return self.epochs >= limits.most or (epoch >= self._until and epoch >= limits.least)
