"""The page that simulates: the compiled march, assembly and everything shown, as WebAssembly inside the page."""
