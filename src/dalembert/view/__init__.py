"""Motions to look at: `motion.page("x.html")`, what a notebook shows, and the index of a gallery."""

from dalembert.view.gallery_pages import GalleryEntry, gallery
from dalembert.view.page import page_html, write_page

__all__ = ["GalleryEntry", "gallery", "page_html", "write_page"]
