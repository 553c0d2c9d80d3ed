"""Nets of PyTorch and JAX as batch evaluators, on the processor or on a device.

The libraries are imported when they are needed.
"""

import copy
import functools
import importlib
from collections.abc import Callable
from typing import Any

from gameforge.errors import GameforgeError
from gameforge.play.batches import Arrays, BatchFunction, BatchNet, Takes, Weights, same


def torch_evaluator(
    module: Any, *, takes: Takes = "planes", policy: bool = False, device: str = "cpu", trainable: bool = False
) -> BatchFunction:
    """Make an evaluator of a PyTorch module, which maps planes to scores of the shape (N,) or (N, 1).

    * `module`: the net; it is moved to `device` and switched to evaluation.
    * `takes`: as for `batch_evaluator`; states are int64 words.
    * `policy`: the module returns scores and logits, as for `batch_evaluator`.
    * `device`: the name of a device that PyTorch knows, such as "cuda".
    * `trainable`: learners train its parameters, beginning with those that it has now; the module itself does not
      change, nor do its buffers, such as the statistics of batch normalization. Needs `policy`.

    Raises GameforgeError if PyTorch is not installed, or does not have the device.
    """
    import numpy as np

    torch = _library("torch", "torch_evaluator")
    try:
        target = torch.device(device)
        module = module.to(target).eval()
    except (RuntimeError, AssertionError) as error:
        raise GameforgeError(f"device = {device!r}: PyTorch cannot use it ({str(error).splitlines()[0]})") from error

    def given(batch: Any) -> Any:
        return torch.from_numpy(batch.view(np.int64) if batch.dtype == np.uint64 else batch).to(target)

    def array(part: Any) -> Any:
        return part.cpu().numpy()

    named: Callable[..., Any] = functools.wraps(type(module), updated=())
    if not trainable:

        def scores(batch: Any) -> Any:
            with torch.inference_mode():
                return _parts(module(given(batch)), policy, len(batch), array)

        return BatchFunction(named(scores), takes, policy)
    _require_policy("torch_evaluator", policy)

    idle: list[Any] = []

    def called(weights: Arrays, batch: Any) -> Any:
        """Call the net with these weights. PyTorch puts them into a module for the time of the call, so each thread
        that calls at the same time needs a module of its own."""
        try:
            own = idle.pop()
        except IndexError:
            own = copy.deepcopy(module)
        try:
            return torch.func.functional_call(own, weights, (given(batch),))
        finally:
            idle.append(own)

    def answers(weights: Arrays, batch: Any) -> Any:
        with torch.inference_mode():
            return _parts(called(weights, batch), True, len(batch), array)

    def slope(weights: Arrays, batch: Any, *slopes: Any) -> Arrays:
        leaves = {name: part.detach().requires_grad_() for name, part in weights.items()}
        answer = _parts(called(leaves, batch), True, len(batch), same)
        there = [given(np.asarray(part, np.float32)) for part in slopes]
        found = torch.autograd.grad(answer, list(leaves.values()), there, materialize_grads=True)
        return dict(zip(leaves, map(array, found), strict=True))

    parameters = {name: array(part.detach()).copy() for name, part in module.named_parameters()}
    return BatchNet(
        named(answers), takes, parameters, slope, lambda arrays: {name: given(part) for name, part in arrays.items()}
    )


def jax_evaluator(
    function: Callable[..., Any],
    *,
    takes: Takes = "planes",
    policy: bool = False,
    device: str = "cpu",
    weights: Weights | None = None,
) -> BatchFunction:
    """Make an evaluator of a function of JAX arrays, which maps planes to scores of the shape (N,) or (N, 1).

    The function is compiled once for each power of two: batches are filled up with zeros.

    * `function`: maps planes of a batch to scores, with the parameters of the net bound to it.
    * `takes`: as for `batch_evaluator`.
    * `policy`: the function returns scores and logits, as for `batch_evaluator`.
    * `device`: the name of a platform that JAX knows, such as "gpu".
    * `weights`: what learners train, as for `batch_evaluator`; the function takes the dictionary before the planes. JAX
      finds the slopes. Needs `policy`.

    Raises GameforgeError if JAX is not installed, or does not have the device.
    """
    import numpy as np

    jax = _library("jax", "jax_evaluator")
    try:
        target = jax.devices(device)[0]
    except RuntimeError as error:
        raise GameforgeError(f"device = {device!r}: JAX cannot use it ({str(error).splitlines()[0]})") from error
    compiled = jax.jit(function)

    def filled(batch: Any) -> Any:
        full = np.zeros((1 << (len(batch) - 1).bit_length(), *batch.shape[1:]), batch.dtype)
        full[: len(batch)] = batch
        return jax.device_put(full, target)

    def scores(*given: Any) -> Any:
        *arrays, batch = given
        full = filled(batch)
        return _parts(compiled(*arrays, full), policy, len(full), lambda part: np.asarray(part)[: len(batch)])

    named = functools.wraps(function)
    if weights is None:
        return BatchFunction(named(scores), takes, policy)
    _require_policy("jax_evaluator", policy)

    def pulled(arrays: Any, batch: Any, slopes: Any) -> Any:
        _, pull = jax.vjp(lambda these: _parts(function(these, batch), True, len(batch), same), arrays)
        return pull(slopes)[0]

    pulled_back = jax.jit(pulled)

    def slope(arrays: Arrays, batch: Any, *slopes: Any) -> Arrays:
        there = tuple(filled(np.asarray(part, np.float32)) for part in slopes)
        found: Arrays = pulled_back(arrays, filled(batch), there)
        return found

    return BatchNet(named(scores), takes, weights, slope, lambda arrays: jax.device_put(dict(arrays), target))


def _require_policy(who: str, policy: bool) -> None:
    if not policy:
        raise GameforgeError(f"{who}: learners train scores and a policy; the net must return both, with policy=True")


def _parts(answer: Any, policy: bool, n: int, array: Callable[[Any], Any]) -> Any:
    """Return the scores of n states that a net answers, or the pair of scores and logits, as arrays."""
    if not policy:
        return array(answer.reshape(n))
    scores, logits = answer
    return array(scores.reshape(n)), array(logits.reshape(n, -1))


def _library(name: str, function: str) -> Any:
    """Import an optional library; GameforgeError if it is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise GameforgeError(f"{function}: {name} is not installed; install it with pip install {name}") from None
