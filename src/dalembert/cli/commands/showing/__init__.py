"""Commands that show: pages, films, the gallery."""
