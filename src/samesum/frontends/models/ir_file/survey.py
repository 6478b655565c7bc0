"""What an IR is made of, without its weights."""

from __future__ import annotations

from samesum.errors import ModelError
from samesum.formats.arrays import Shape
from samesum.formats.elements import IR_ELEMENTS
from samesum.frontends.models.ir_file.layers import Layer
from samesum.frontends.models.ir_file.reading import net_of, nodes_of, outputs_of
from samesum.frontends.models.ir_file.texts import shape
from samesum.graph.survey import End, Survey, counted


def survey_ir(name: str, data: bytes) -> Survey:
    """The inputs, outputs and operators of an IR."""
    net = net_of(data)
    return Survey(
        name=name,
        standard="openvino",
        inputs=tuple(_input(net.value(layer), layer) for layer in net.of("parameter")),
        outputs=tuple(
            End(value.name, value.dtype.name if value.dtype else None, value.shape) for value in outputs_of(net)
        ),
        uses=counted(nodes_of(net)),
    )


def _input(name: str, layer: Layer) -> End:
    """A type that samesum does not read stands as the file spells it."""
    text = layer.attributes.get("element_type", "")
    element = IR_ELEMENTS.get(text.strip().lower())
    return End(name, element.dtype.name if element else text or None, _shape(layer))


def _shape(layer: Layer) -> Shape | None:
    try:
        return shape(layer.attributes.get("shape"), str(layer))
    except ModelError:
        return None
