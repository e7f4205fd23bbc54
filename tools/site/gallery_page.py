"""The gallery in the documentation: every model that comes with the package, what it is for, and its whole file."""

from __future__ import annotations

import yaml

from dalembert.files.gallery import files


def page() -> str:
    """One section for each model, in the order of their names."""
    parts = [
        "# Gallery",
        "These models come with the package. Each is one file. Run it, look at it, or copy it and change it:",
        "```\ndalembert view four_bar              # a page that simulates\ndalembert simulate four_bar -o x.html\n"
        "dalembert gallery -o pages           # all of them, with moving pictures\n```",
    ]
    for name, file in files().items():
        text = file.read_text(encoding="utf-8")
        said = yaml.safe_load(text)
        parts.append(f"## {name}\n\n{said.get('purpose', '')}\n\n:::{{dropdown}} {file.name}\n```yaml\n{text}```\n:::")
    return "\n\n".join(parts) + "\n"
