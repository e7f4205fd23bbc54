"""A clock that others on the same machine do not turn."""

from __future__ import annotations

from time import get_clock_info, perf_counter, thread_time

FINE = 1e-6
"""Seconds of resolution from which on a clock of processor time is of use."""

processor_time = thread_time if get_clock_info("thread_time").resolution <= FINE else perf_counter
"""Seconds this thread has computed; seconds passed, where the system counts the former too coarsely."""
