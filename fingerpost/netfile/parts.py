"""What the parts of a network file are made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, get_args

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

__all__ = ["Needs", "OneOf", "Part"]


@dataclass(frozen=True)
class Needs:
    """What a key needs, in the words of an error message: the remedy for every wrong value."""

    text: str
    item: str = "a whole number"


@dataclass(frozen=True)
class OneOf:
    """A part whose model is chosen by one of its keys, such as `family`; `default` without it.

    (pydantic's own discriminated unions refuse a choice of one.)
    """

    key: str
    models: tuple[type["Part"], ...]
    default: str = ""

    @property
    def choices(self) -> dict[str, type["Part"]]:
        """Return the model for each value of the key."""
        return {
            get_args(model.model_fields[self.key].annotation)[0]: model for model in self.models
        }

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.tagged_union_schema(
            {name: handler.generate_schema(model) for name, model in self.choices.items()},
            discriminator=self._given if self.default else self.key,
        )

    def _given(self, part: object) -> object:
        """Return the value of the key; None if there can be none."""
        if isinstance(part, Mapping):
            return part.get(self.key, self.default)
        return getattr(part, self.key, None)


class Part(BaseModel):
    """A mapping of a network file.

    Attributes
    ----------
    stands_in : str
        The key that is at fault when `golden` refuses what is no key here; the part as a whole
        if it is empty.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    stands_in: ClassVar[str] = ""
