"""Machine code for straight-line arithmetic on x86-64 with AVX2 and FMA but no AVX-512, without a compiler in between.

LLVM takes its time over long straight code, and keeps more values waiting in memory than it must. Where a block is arithmetic only,
four short passes do better: `arithmetic` fuses products and sums, `ordering` hides their latencies, `registers` decides what stays in
the sixteen registers, `encoding` writes the bytes.
"""

from dalembert.trace.native.x86.function import available, machine_code, takes

__all__ = ["available", "machine_code", "takes"]
