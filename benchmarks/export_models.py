"""A small BERT-like, Llama-like and ResNet-like model, exported by PyTorch: ONNX and OpenVINO IR, float32 and float16.

python benchmarks/export_models.py FOLDER [--opset 23]

From opset 23 on, which has RMSNormalization, ONNX alone, float32 alone, with a small network of convolutions and group
and instance norms; PyTorch needs the package onnxscript for that.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
import onnx
import openvino
import torch
from onnxruntime.transformers.float16 import convert_float_to_float16
from torch import Tensor, nn

WORDS, WIDTH, HEADS, OPSET = 500, 128, 4, 17


class Bert(nn.Module):
    """Three encoder layers; the log-probabilities of words, and the mean of each sentence with length 1."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 2 * WIDTH, batch_first=True, activation="gelu")
        self.words = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        found = self.layers(self.words(tokens))
        return self.head(found).log_softmax(-1), nn.functional.normalize(found.mean(1), dim=-1)


class Rms(nn.Module):
    """x over the root of its mean square."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


class Block(nn.Module):
    """Attention to what stands before, and a gated layer."""

    def __init__(self) -> None:
        super().__init__()
        self.before, self.between = Rms(), Rms()
        self.all_three, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.gate, self.down = (
            nn.Linear(*sizes) for sizes in ((WIDTH, 2 * WIDTH), (WIDTH, 2 * WIDTH), (2 * WIDTH, WIDTH))
        )

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        split = self.all_three(self.before(x)).reshape(batch, length, 3, HEADS, WIDTH // HEADS)
        query, key, value = split.permute(2, 0, 3, 1, 4).unbind(0)
        masked = torch.full((length, length), float("-inf")).triu(1)
        weights = (query @ key.transpose(-1, -2) / (WIDTH // HEADS) ** 0.5 + masked).softmax(-1)
        x = x + self.out((weights @ value).transpose(1, 2).reshape(x.shape))
        gated = self.between(x)
        return x + self.down(nn.functional.silu(self.gate(gated)) * self.up(gated))


class Llama(nn.Module):
    """Two blocks; the logits of words, and the next word. One channel is 600 times as large, as in large models."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.blocks = nn.Embedding(WORDS, WIDTH), nn.ModuleList([Block() for _ in range(2)])
        self.last, self.head = Rms(), nn.Linear(WIDTH, WORDS)
        with torch.no_grad():
            self.words.weight[:, 7] *= 600

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        places = torch.ones_like(tokens).cumsum(1)
        x = self.words(tokens) + places[..., None] * 1e-3
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.last(x))
        return logits, logits[:, -1].argmax(-1)


class Images(nn.Module):
    """Two convolutions, a group norm, an instance norm, a global mean and probabilities."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 32, 3, padding=1), nn.Conv2d(32, 64, 3, stride=2, padding=1)
        self.groups, self.each = nn.GroupNorm(8, 32), nn.InstanceNorm2d(64, affine=True)
        self.head = nn.Linear(64, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.each(self.second(torch.relu(self.groups(self.first(x))))))
        return self.head(x.mean((2, 3))).softmax(-1)


class Residual(nn.Module):
    """Two convolutions with batch norms, and what came in added."""

    def __init__(self, channels: int, wanted: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, wanted, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(wanted, wanted, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(wanted) for _ in range(2)])
        self.shortcut = nn.Conv2d(channels, wanted, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        y = torch.relu(self.norms[0](self.first(x)))
        return torch.relu(self.norms[1](self.second(y)) + self.shortcut(x))


class ResNet(nn.Module):
    """A convolution of 7 x 7, a pool, three stages of residual blocks, a global mean and the logits of ten classes."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Conv2d(3, 32, 7, 2, 3, bias=False), nn.BatchNorm2d(32)
        sizes = ((32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2), (128, 128, 1))
        self.blocks = nn.Sequential(*(Residual(*each) for each in sizes))
        self.head = nn.Linear(128, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = nn.functional.max_pool2d(torch.relu(self.norm(self.first(x))), 3, 2, 1)
        return self.head(self.blocks(x).mean((2, 3)))


def export_newer(folder: Path, tokens: Tensor, opset: int) -> None:
    """The models whose norms are operators of the standard."""
    llama = Llama()
    for module in list(llama.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, Rms):
                setattr(module, name, nn.RMSNorm(WIDTH, eps=1e-5))
    for name, model, given in (
        ("bert", Bert(), tokens),
        ("llama", llama, tokens),
        ("images", Images(), torch.randn(1, 3, 64, 64)),
    ):
        path = folder / f"{name}_{opset}.onnx"
        torch.onnx.export(model.eval(), (given,), path, opset_version=opset, dynamo=True, external_data=False)


def main() -> None:
    """Writes twelve files and the .bin of six of them, or three files of a newer opset."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--opset", type=int, default=OPSET)
    arguments = parser.parse_args()
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    tokens = torch.randint(0, WORDS, (2, 48))
    np.save(folder / "tokens.npy", tokens.numpy())
    if arguments.opset != OPSET:
        export_newer(folder, tokens, arguments.opset)
        return
    core = openvino.Core()
    images = torch.randn(1, 3, 96, 96)
    for name, model, word, given in (
        ("bert", Bert(), "tokens", tokens),
        ("llama", Llama(), "tokens", tokens),
        ("resnet", ResNet(), "images", images),
    ):
        path = folder / f"{name}.onnx"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            axes = {word: {0: "batch"}} if given is images else None
            torch.onnx.export(
                model.eval(), (given,), path, opset_version=OPSET, dynamo=False, input_names=[word], dynamic_axes=axes
            )
        onnx.save(convert_float_to_float16(onnx.load(path)), folder / f"{name}_float16.onnx")
        for said, short in (("", False), ("_float16", True)):
            openvino.save_model(core.read_model(path), folder / f"{name}{said}.xml", compress_to_fp16=short)


if __name__ == "__main__":
    main()
