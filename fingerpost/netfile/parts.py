"""What the parts of a network file are made of."""

from dataclasses import dataclass
from typing import ClassVar, get_args

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

__all__ = ["As", "Needs", "OneOf", "Part"]


@dataclass(frozen=True)
class Needs:
    """What a key needs, in the words of an error message: the remedy for every wrong value."""

    text: str
    item: str = "a whole number"


@dataclass(frozen=True)
class OneOf:
    """A part whose model is chosen by one of its keys, such as `family`.

    (pydantic's own discriminated unions refuse a choice of one.)
    """

    key: str
    models: tuple[type["Part"], ...]

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
            discriminator=self.key,
        )


@dataclass(frozen=True)
class As:
    """A part with a model of its own, which is not known before the program runs."""

    model: type["Part"]

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return handler.generate_schema(self.model)


class Part(BaseModel):
    """A mapping of a network file.

    Attributes
    ----------
    stands_in : str
        The key that is at fault when `golden` refuses what is no key here; the part as a whole
        if it is empty.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    stands_in: ClassVar[str] = ""
