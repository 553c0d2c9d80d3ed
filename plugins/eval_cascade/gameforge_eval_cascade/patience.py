"""When a training of outputs or candidates ends (FANN's rule; sheet 04, section 6)."""

import attrs


@attrs.frozen(kw_only=True)
class Limits:
    """Epochs are numbered from 0."""

    most: int
    """Epochs at most."""
    least: int
    """Epochs before which standing still does not end it."""
    patience: int
    """Epochs that may go by without a change that counts."""
    change: float
    """Share of the gain by which it has to change to count."""


class Patience:
    """Counts the epochs of one training and sets new goals as it gets on."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._target, self._backslide = 0.0, -float("inf")
        self._until = limits.most
        self.epochs = 0

    def ends(self, gain: float) -> bool:
        """Whether it ends with this epoch; `gain`: what has been gained so far, the more the better.

        A gain above the target or below the band of what is taken for standing still sets a new target.
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
