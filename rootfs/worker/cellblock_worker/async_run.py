"""Top-level await on one event loop that lives as long as the interpreter.

A task that a cell starts goes on while a later cell awaits; between such cells the loop stands
still, because no user code runs while the worker is idle. asyncio is imported by IPython already.
"""
import ast
import asyncio
import contextvars
import inspect

from cellblock_worker.private_builtins import BUILTINS as __builtins__  # noqa: F401

_COROUTINE = inspect.CO_COROUTINE
_new_loop = asyncio.new_event_loop
_copy_context = contextvars.copy_context

# A cell that calls these at its top level expects a running loop, as it has in a notebook ...
_NEED_LOOP = {"create_task", "ensure_future", "get_running_loop"}
# ... and one that calls these expects that there is none.
_NEED_NO_LOOP = {"run", "run_until_complete", "Runner"}


class AsyncRunner:
    def __init__(self):
        self._loop = None

    def run(self, codes, globals_):
        """Runs the code objects of a cell in order on the loop."""

        async def cell():
            for code in codes:
                value = eval(code, globals_)
                if code.co_flags & _COROUTINE:
                    await value
            return None

        return self.await_(cell())

    def await_(self, coroutine):
        if self._loop is None or self._loop.is_closed():
            self._loop = _new_loop()
        loop = self._loop
        contexts = []

        async def keep_context():
            try:
                return await coroutine
            finally:
                contexts.append(_copy_context())

        asyncio.set_event_loop(loop)
        task = loop.create_task(keep_context())
        try:
            return loop.run_until_complete(task)
        except KeyboardInterrupt:
            raise _interrupted(loop, task) from None
        finally:
            _adopt(contexts)


def _interrupted(loop, task):
    """Ends the cell's task; the interrupt is shown where the cell was waiting."""
    interrupt = KeyboardInterrupt()
    if not task.done():
        task.cancel()
        try:
            loop.run_until_complete(task)
        except asyncio.CancelledError as cancelled:
            return interrupt.with_traceback(cancelled.__traceback__)
        except BaseException as error:
            return interrupt.with_traceback(error.__traceback__)
        return interrupt
    if not task.cancelled() and task.exception() is not None:
        return interrupt.with_traceback(task.exception().__traceback__)
    return interrupt


def _adopt(contexts):
    """Context variables set by the cell keep their values: a task has a context of its own."""
    for context in contexts:
        for variable, value in context.items():
            if variable.get(None) is not value:
                variable.set(value)


def needs_loop(codes, text):
    """True if the cell awaits at its top level or starts tasks there."""
    if any(code.co_flags & _COROUTINE for code in codes):
        return True
    if not any(name in text for name in _NEED_LOOP):
        return False
    called = set()
    _collect_calls(ast.parse(text), called)
    return bool(called & _NEED_LOOP) and not called & _NEED_NO_LOOP


def _collect_calls(node, called):
    """Names called outside function bodies."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        if isinstance(child, ast.Call):
            function = child.func
            if isinstance(function, ast.Attribute):
                called.add(function.attr)
            elif isinstance(function, ast.Name):
                called.add(function.id)
        _collect_calls(child, called)
