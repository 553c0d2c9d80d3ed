"""Records: named tuples that compiled functions get as one address.

numba hands a named tuple on value by value. A player is hundreds of them: the machine code of each function that hands
one on grew with their number, and so did the time to compile it and to enter it from Python. A record is a block of
words instead, which is written when Python enters a kernel: the address of each compiled function, address and length
of each array, each number, and in their places the words of the records and tuples inside it. Compiled code reads a
field where it uses it. Records do not change while a kernel runs. LLVM knows this and need not read a field twice.

Under NUMBA_DISABLE_JIT a record is the named tuple itself.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, lower_getattr_generic, models, register_model, typeof_impl, unbox
from numba.np.numpy_support import as_dtype


class Record(types.Type):  # type: ignore[misc]
    """The numba type of the records of a class."""

    def __init__(self, kind: type[tuple[Any, ...]], members: Iterable[types.Type]) -> None:
        """kind: the class, a named tuple; from now on numba knows its objects as records of this type.

        members: the types of its fields: compiled functions, one-dimensional arrays in C order, numbers of 64 bits, and
        records and tuples of these.
        """
        names: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
        self.members = dict(zip(names, members, strict=True))
        super().__init__(name=f"{kind.__module__}.{kind.__qualname__}")
        typeof_impl.register(kind, lambda value, context: self)

    def first(self, name: str) -> int:
        """Return the index of a field's first word."""
        before = list(self.members).index(name)
        return sum(size for size, _ in zip(map(_size, self.members.values()), range(before), strict=False))


def _inner(kind: types.Type) -> list[types.Type] | None:
    """Return the types inside a record or tuple; None for anything else."""
    if isinstance(kind, Record):
        return list(kind.members.values())
    return list(kind) if isinstance(kind, types.BaseTuple) else None


def _size(kind: types.Type) -> int:
    """Return the number of words of a value."""
    inner = _inner(kind)
    return sum(map(_size, inner)) if inner is not None else 2 if isinstance(kind, types.Array) else 1


def words_of(kind: types.Type, value: Any) -> Iterator[int]:
    """Yield the words of a value of a record's fields, or of a record.

    Raises TypeError for an array of another type or layout, whose words compiled code would misread.
    """
    inner = _inner(kind)
    if inner is not None:
        for each, entry in zip(inner, value, strict=True):
            yield from words_of(each, entry)
    elif isinstance(kind, types.Array):
        if value.dtype != as_dtype(kind.dtype) or value.ndim != 1 or not value.flags.c_contiguous:
            raise TypeError(f"expected {kind}, got {value.dtype} of shape {value.shape} and strides {value.strides}")
        yield value.ctypes.data
        yield len(value)
    elif isinstance(kind, types.FunctionType):
        yield value.__wrapper_address__()
    else:
        yield int(np.array(value, as_dtype(kind)).view(np.uint64))


def _written(value: Any) -> bytes:
    """Return a record's block, which compiled code asks for when Python enters it."""
    return np.array([*words_of(typeof_impl(value, None), value)], np.uint64).tobytes()


@register_model(Record)
class _Address(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Record) -> None:
        super().__init__(manager, kind, ir.IntType(64).as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    key = Record

    def generic_resolve(self, record: Record, name: str) -> types.Type | None:
        return record.members.get(name)


@lower_getattr_generic(Record)  # type: ignore[untyped-decorator]
def _field(context: Any, builder: Any, record: Record, block: Any, name: str) -> Any:
    kind = record.members[name]
    return impl_ret_borrowed(context, builder, kind, Reader(context, builder, block, record.first(name)).read(kind))


@unbox(Record)  # type: ignore[untyped-decorator]
def _entered(kind: Record, value: Any, c: Any) -> NativeValue:
    module = c.pyapi.import_module(c.context.insert_const_string(c.builder.module, __name__))
    writer = c.pyapi.object_getattr_string(module, _written.__name__)
    block = c.pyapi.call_function_objargs(writer, (value,))
    c.pyapi.decref(writer)
    c.pyapi.decref(module)
    address = cgutils.alloca_once_value(c.builder, ir.Constant(ir.IntType(64).as_pointer(), None))
    failed = cgutils.is_null(c.builder, block)
    with c.builder.if_then(c.builder.not_(failed), likely=True):
        words = c.pyapi.bytes_as_string(block)
        c.builder.store(c.builder.bitcast(words, ir.IntType(64).as_pointer()), address)
    return NativeValue(c.builder.load(address), is_error=failed, cleanup=lambda: c.pyapi.decref(block))


class Reader:
    """Emits the code that reads values from a block, one after the other."""

    def __init__(self, context: Any, builder: Any, block: Any, first: int) -> None:
        """first: the index of the word at which the values begin."""
        self._context, self._builder, self._block = context, builder, block
        self._next = first

    def _place(self) -> Any:
        return self._builder.gep(self._block, [self._context.get_constant(types.intp, self._next)])

    def _word(self) -> Any:
        word = self._builder.load(self._place())
        word.set_metadata("invariant.load", self._builder.module.add_metadata([]))
        self._next += 1
        return word

    def read(self, kind: types.Type) -> Any:
        """Return a value of this type."""
        context, builder = self._context, self._builder
        if isinstance(kind, Record):
            place = self._place()
            self._next += _size(kind)
            return place
        if isinstance(kind, types.BaseTuple):
            return context.make_tuple(builder, kind, [self.read(entry) for entry in kind])
        if isinstance(kind, types.FunctionType):
            function = cgutils.create_struct_proxy(kind)(context, builder)
            function.c_addr = builder.inttoptr(self._word(), cgutils.voidptr_t)
            return function._getvalue()
        if isinstance(kind, types.Array):
            from numba.np.arrayobj import make_array, populate_array  # only the compiler needs it

            array = make_array(kind)(context, builder)
            size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
            data, length = builder.inttoptr(self._word(), array.data.type), self._word()
            populate_array(array, data=data, shape=[length], strides=[size], itemsize=size, meminfo=None)
            return array._getvalue()
        return builder.bitcast(self._word(), context.get_value_type(kind))
