"""Writes the model of this folder again: `python tests/transformer/make_transformer.py`.

Needs PyTorch (made with 2.13) and onnx. A sentence encoder as they are in use, small and with random weights: positions
counted by a cumulative sum of the mask, two layers of attention and GELU, the mean over the tokens that count, L2
normalisation. Opset 13 has no LayerNormalization, so the export spells it out in reductions. Beside the model lie its
input and what PyTorch gives for it.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

FOLDER = Path(__file__).resolve().parent
TOKENS, WIDTH, HEADS, LAYERS, LONGEST = 60, 32, 4, 2, 16


class Attention(nn.Module):
    """Every token looks at every token that counts."""

    def __init__(self) -> None:
        super().__init__()
        self.into, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor, ignored: Tensor) -> Tensor:
        batch, length, _ = x.shape
        q, k, v = self.into(x).reshape(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4).unbind(0)
        scores = (q @ k.transpose(-1, -2) / (WIDTH // HEADS) ** 0.5).masked_fill(ignored[:, None, None], float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, WIDTH))


class Layer(nn.Module):
    """Attention, then two linear maps, each added to what came in and normalised."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = Attention()
        self.wide = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH))
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, x: Tensor, ignored: Tensor) -> Tensor:
        x = self.first(x + self.attention(x, ignored))
        return self.second(x + self.wide(x))


class Encoder(nn.Module):
    """Tokens to the states of the last layer and one vector of length 1 for each sentence."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(TOKENS, WIDTH), nn.Embedding(LONGEST + 1, WIDTH)
        self.first = nn.LayerNorm(WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))

    def forward(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        x = self.first(self.words(tokens) + self.places(mask.cumsum(1) * mask))
        for layer in self.layers:
            x = layer(x, mask == 0)
        weights = mask[..., None].to(x.dtype)
        return x, nn.functional.normalize((x * weights).sum(1) / weights.sum(1))


def main() -> None:
    torch.manual_seed(20)
    model = Encoder().eval()
    for norm in filter(lambda module: isinstance(module, nn.LayerNorm), model.modules()):
        nn.init.uniform_(norm.weight, 0.5, 1.5)
        nn.init.uniform_(norm.bias, -0.5, 0.5)
    lengths = torch.tensor([16, 11, 5])
    mask = (torch.arange(LONGEST)[None] < lengths[:, None]).long()
    tokens = torch.randint(1, TOKENS, mask.shape) * mask
    names = {"input_names": ["tokens", "mask"], "output_names": ["states", "embedding"]}
    free = {name: {0: "batch", 1: "length"} for name in ("tokens", "mask", "states")} | {"embedding": {0: "batch"}}
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of the exporter that writes opset 13
        states, embedding = model(tokens, mask)
        path = FOLDER / "transformer.onnx"
        torch.onnx.export(model, (tokens, mask), path, dynamo=False, opset_version=13, dynamic_axes=free, **names)
    arrays = {"tokens": tokens, "mask": mask, "states": states, "embedding": embedding}
    np.savez_compressed(FOLDER / "transformer.npz", **{name: array.numpy() for name, array in arrays.items()})


if __name__ == "__main__":
    main()
