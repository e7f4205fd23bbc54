"""Motions as pages: `motion.page("x.html")`, what a notebook shows, and the index of a gallery."""

from dalembert.view.page import page_html, write_page

__all__ = ["page_html", "write_page"]
