"""Runs several tasks at the same time, as far as processors and memory allow."""

import os
import threading
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

_TICK = 0.2  # s between looks at the clock and at signals


class Stopped(BaseException):
    """Raised inside a task that has to end early."""


def processors():
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Schedule:
    """At most ``jobs`` tasks at a time, whose ``memory`` in bytes fits into ``room`` together.

    A task that is larger than the room runs alone.  ``execute(work, tick)`` calls ``work(task)`` in threads and yields
    (task, result, error) as soon as a task has ended; ``tick()`` is called in between, in the thread of the caller.  A
    task calls ``check()`` from time to time: it raises ``Stopped`` after an exception in the thread of the caller, such
    as KeyboardInterrupt.  The exception is raised again when all tasks have ended.
    """

    def __init__(self, tasks, jobs, room):
        self._waiting, self._jobs, self._room = list(tasks), jobs, room
        self._running, self._stop = {}, threading.Event()

    def check(self):
        if self._stop.is_set():
            raise Stopped

    def execute(self, work, tick):
        with ThreadPoolExecutor(self._jobs) as pool:
            try:
                while self._waiting or self._running:
                    self._start(pool, work)
                    done, _ = wait(self._running, _TICK, FIRST_COMPLETED)
                    for future in done:
                        error = future.exception()
                        yield self._running.pop(future), None if error else future.result(), error
                    tick()
            except BaseException:  # also of the caller, who has left the loop
                self._stop.set()
                raise

    def _start(self, pool, work):
        for task in list(self._waiting):
            used = sum(other.memory for other in self._running.values())
            if len(self._running) >= self._jobs:
                return
            if not self._running or used + task.memory <= self._room:
                self._waiting.remove(task)
                self._running[pool.submit(work, task)] = task
