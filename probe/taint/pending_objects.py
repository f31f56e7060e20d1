"""Objects that code which is not rewritten makes, as the `__init__` of dataclasses and of attrs, which comes from text.

Functions of the program that run meanwhile, as `__post_init__`, validators and converters, are called by that code: it
addresses no taints to them. What they are given is known by what they are for, else by its identity.
"""

from collections.abc import Mapping
from typing import Any

from .shadows import SHADOWS, set_fields, union
from .signatures import CODES, FunctionSignature


class RecordClass:
    """A class whose `__init__`, that of its base `owner`, was made from text: `by_place` are its positional arguments.

    `attributes` says which attribute each argument goes into, `converted` which arguments a function changes that is rewritten, by its
    key, or one that is not (-1), `made` which attributes a function of the program makes where nobody gives them; `fields` are attributes by the object
    that describes them to validators.
    """

    def __init__(self, kind: type, owner: type) -> None:
        self.kind = kind
        code = owner.__init__.__code__  # type: ignore[misc]
        self.by_place = code.co_varnames[1 : code.co_argcount]
        self.attributes: dict[str, str] = {}
        self.converted: dict[int, set[str]] = {}
        self.made: set[str] = set()
        self.fields: dict[int, str] = {}
        for field in vars(owner).get("__attrs_attrs__", ()):
            argument = getattr(field, "alias", None) or field.name.lstrip("_")
            self.attributes[argument] = self.fields[id(field)] = field.name
            if field.converter is not None:
                known = CODES.get(id(getattr(field.converter, "__code__", None)))
                self.converted.setdefault(-1 if known is None else known.key, set()).add(argument)
            if id(getattr(getattr(field.default, "factory", None), "__code__", None)) in CODES:
                self.made.add(field.name)
        for name, field in vars(owner).get("__dataclass_fields__", {}).items():
            self.attributes[name] = name
            if id(getattr(field.default_factory, "__code__", None)) in CODES:
                self.made.add(name)


class PendingObject:
    """An object of a record's class while it is made; `fields` are the taints of its attributes, `arguments` those of its arguments.

    `values` are the latter by identity.
    """

    __slots__ = ("arguments", "fields", "record", "values")

    def __init__(
        self, record: RecordClass, arguments: dict[str, int], fields: dict[str, int], values: dict[int, int]
    ) -> None:
        self.record = record
        self.arguments = arguments
        given = {record.attributes.get(name, name): taint for name, taint in arguments.items()}
        self.fields = {**fields, **given}
        self.values = values

    def keep(self, made: Any) -> None:
        """Give the object, of which nothing is known yet, the taints of its attributes."""
        if id(made) not in SHADOWS:
            set_fields(made, self.fields)

    def addressed(
        self, signature: FunctionSignature, given: Mapping[str, Any]
    ) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Return the taints of what a function was `given`, and the names of those given by name.

        The object itself has none, but its attributes have theirs from now on.
        """
        named = {name: given[name] for name in (*signature.parameters, *signature.keywords)}
        places = [*(named[name] for name in signature.parameters), *(given.get(signature.vararg or "") or ())]
        named = {name: named[name] for name in signature.keywords} | (given.get(signature.kwarg or "") or {})
        names = (*signature.parameters, *[""] * (len(places) - len(signature.parameters)), *named)
        values = (*places, *named.values())
        of_field = [self.record.fields[id(one)] for one in values if id(one) in self.record.fields]
        converted = self.record.converted.get(signature.key)
        begins = signature.name.endswith(("__post_init__", "__attrs_pre_init__"))
        taints = []
        for name, value in zip(names, values, strict=True):
            if id(value) not in self.values and issubclass(type(value), self.record.kind):
                self.keep(value)
                taints.append(0)
            elif of_field:
                taints.append(self.fields.get(of_field[0], 0))
            elif converted is not None:
                taints.append(union(self.arguments.get(one, 0) for one in converted))
            elif begins and name in self.arguments:
                taints.append(self.arguments[name])
            else:
                others = union(self.arguments.get(one, 0) for one in self.record.converted.get(-1, ()))
                taints.append(self.values.get(id(value), others))
        return tuple(taints), tuple(named)
