"""What Gymnasium is told of us. It imports nothing of the environments until one is made."""

from __future__ import annotations


def register() -> None:
    """Makes pbdr/PushBox-v0 known to Gymnasium. `import pbdr` does it where Gymnasium was imported before, `import pbdr.gym`
    always."""
    import gymnasium
    if "pbdr/PushBox-v0" not in gymnasium.registry:
        gymnasium.register("pbdr/PushBox-v0", entry_point="pbdr.gym:PushBox", vector_entry_point="pbdr.gym:PushBoxVector")
