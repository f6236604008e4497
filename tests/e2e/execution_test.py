"""Executions: the event stream, joining it again, stopping a cell, its input and its limits."""
import threading
import time
import unittest

import grpc

from support import (DaemonTest, INVALID, LOST, NOT_FOUND, PRECONDITION, PRESERVED, SessionTest,
                     await_true, cell_pb2, new_id, outcome, runtime_pb2, text_of)

LOOP = "import time\nwhile True: time.sleep(.05)"


def kinds(events):
    return [event.WhichOneof("event") for event in events]


class Stream(SessionTest):
    def test_every_stream_counts_from_one_and_ends_with_the_only_result(self):
        for code in ("1 + 1", "", "x = (", "print('a'); import sys; print('b', file=sys.stderr)",
                     "import os; os._exit(1)"):
            with self.subTest(code=code):
                events = self.session.events(code)
                self.assertEqual([e.sequence for e in events], list(range(1, len(events) + 1)))
                self.assertEqual(kinds(events).count("result"), 1)
                self.assertEqual(kinds(events)[-1], "result")
                self.assertEqual(kinds(events)[0], "started")
                self.assertTrue(events[0].started.execution_id)
                times = [e.time.seconds + e.time.nanos / 1e9 for e in events]
                self.assertEqual(times, sorted(times))
                self.assertLess(abs(times[0] - time.time()), 60)

    def test_output_arrives_while_the_cell_runs(self):
        call = self.session.start("import time\nprint('early'); time.sleep(2); print('end')")
        began = time.monotonic()
        for event in call:
            if event.WhichOneof("event") == "output":
                self.assertEqual(event.output.data, b"early\n")
                break
        self.assertLess(time.monotonic() - began, 1.5)
        self.assertEqual(text_of(list(call)), b"end\n")

    def test_a_silent_cell_sends_progress(self):
        events = self.session.events("x = 0\nimport time\nend = time.monotonic() + 3\n"
                                     "while time.monotonic() < end: x += 1")
        progress = [e.progress for e in events if e.WhichOneof("event") == "progress"]
        self.assertGreaterEqual(len(progress), 2)
        self.assertLessEqual(len(progress), 5)
        elapsed = [p.elapsed.seconds + p.elapsed.nanos / 1e9 for p in progress]
        self.assertEqual(elapsed, sorted(elapsed))

    def test_usage_is_measured(self):
        usage = self.session.run("import time, sys\ntime.sleep(.3)\nprint('x' * 99)\n"
                                 "print('y' * 49, file=sys.stderr)").usage
        self.assertGreaterEqual(usage.wall.seconds + usage.wall.nanos / 1e9, 0.3)
        self.assertLess(usage.wall.seconds, 30)
        self.assertEqual((usage.stdout_bytes, usage.stderr_bytes), (100, 50))

    def test_user_expressions_fail_alone(self):
        result = self.session.run("x = 20", user_expressions={"good": "x + 1", "bad": "1 / 0"})
        self.assert_outcome(result, "OK")
        self.assertEqual(result.user_expressions["good"].value.data["text/plain"], b"21")
        self.assertEqual(result.user_expressions["bad"].error.name, "ZeroDivisionError")

    def test_a_second_cell_meanwhile_is_refused(self):
        execution = new_id()
        call = self.session.start(LOOP, execution_id=execution)
        next(call)
        facts = self.session.refresh()
        self.assertEqual(facts.state, runtime_pb2.BUSY)
        self.assertEqual(facts.running_execution_id, execution)
        info = self.assert_status(PRECONDITION, lambda: self.session.run("1"), "SESSION_BUSY")
        self.assertTrue(info.retryable)
        self.session.interrupt(execution)
        self.assert_outcome(list(call)[-1].result, "INTERRUPTED", PRESERVED)
        self.check_usable()


class Joining(SessionTest):
    COUNT = "import time\nfor i in range(20): print(i, flush=True); time.sleep(.1)"

    def test_a_kept_cell_runs_on_without_readers_and_is_joined_again(self):
        execution = new_id()
        call = self.session.start(self.COUNT, execution_id=execution,
                                  on_disconnect=runtime_pb2.KEEP_RUNNING)
        seen = [next(call) for _ in range(3)]
        call.cancel()
        time.sleep(0.5)
        self.assertTrue(self.session.execution(execution).running)
        rest = list(self.session.attach(execution, seen[-1].sequence))
        whole = seen + rest
        self.assertEqual([e.sequence for e in whole], list(range(1, len(whole) + 1)))
        self.assertEqual(text_of(whole).split(), [b"%d" % i for i in range(20)])
        self.assert_outcome(rest[-1].result, "OK")

    def test_two_readers_see_the_same(self):
        execution, seen = new_id(), {}

        def read(name, stream):
            seen[name] = [e.SerializeToString(deterministic=True) for e in stream]

        first = self.session.start(self.COUNT, execution_id=execution)
        threads = [threading.Thread(target=read, args=("first", first))]
        threads[0].start()
        self.assertTrue(await_true(lambda: self.is_known(execution)))
        threads += [threading.Thread(target=read, args=(n, self.session.attach(execution)))
                    for n in ("second", "third")]
        for thread in threads[1:]:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(seen["first"], seen["second"])
        self.assertEqual(seen["first"], seen["third"])

    def is_known(self, execution):
        try:
            return self.session.execution(execution).running
        except grpc.RpcError:
            return False

    def test_one_id_runs_once(self):
        execution = new_id()
        first = self.session.events("n = globals().get('n', 0) + 1; print(n)",
                                    execution_id=execution)
        again = self.session.events("raise SystemError('must not run')", execution_id=execution)
        self.assertEqual(again, first)
        self.assertEqual(self.session.stdout("print(n)"), b"1\n")
        call = self.session.start(LOOP, execution_id="running")
        next(call)
        joined = self.session.start("print('no')", execution_id="running")
        next(joined)
        self.session.interrupt("running")
        self.assertEqual(list(call)[-1], list(joined)[-1])

    def test_what_is_known_of_an_execution(self):
        execution = new_id()
        call = self.session.start(LOOP, execution_id=execution)
        next(call)
        state = self.session.execution(execution)
        self.assertTrue(state.running)
        self.assertFalse(state.HasField("result"))
        self.session.interrupt(execution)
        events = list(call)
        state = self.session.execution(execution)
        self.assertFalse(state.running)
        self.assertEqual(state.result, events[-1].result)
        self.assertEqual(state.last_sequence, events[-1].sequence)
        self.assert_status(NOT_FOUND, lambda: self.session.execution("unknown"),
                           "EXECUTION_NOT_FOUND")
        self.assert_status(NOT_FOUND, lambda: list(self.session.attach("unknown")),
                           "EXECUTION_NOT_FOUND")
        self.assert_status(INVALID, lambda: list(self.session.attach(execution, -1)))

    def test_the_last_reader_leaving_cancels_and_keeps_state(self):
        call = self.session.start("x = 5\n" + LOOP)
        next(call)
        time.sleep(0.3)
        call.cancel()
        self.assertTrue(await_true(lambda: self.session.refresh().state == runtime_pb2.IDLE))
        self.assertEqual(self.session.stdout("print(x)"), b"5\n")
        self.assertEqual(self.session.refresh().epoch, 1)

    def test_a_readers_leaving_does_not_disturb_another(self):
        execution = new_id()
        call = self.session.start(self.COUNT, execution_id=execution)
        next(call)
        other = self.session.attach(execution)
        next(other)
        call.cancel()
        rest = list(other)
        self.assert_outcome(rest[-1].result, "OK")

    def test_a_stubborn_cell_without_readers_is_killed(self):
        call = self.session.start("import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
                                  "while True: time.sleep(1)")
        next(call)
        time.sleep(0.5)
        call.cancel()
        self.assertTrue(await_true(
            lambda: self.session.refresh().state in (runtime_pb2.IDLE,
                                                     runtime_pb2.INTERPRETER_LOST), 20))
        self.check_usable()
        self.assertEqual(self.session.refresh().epoch, 2)

    def test_the_clients_deadline_counts_as_leaving(self):
        stream = self.session.stub.Execute(runtime_pb2.ExecuteRequest(
            session_id=self.session.id, code=("y = 6\n" + LOOP).encode()), timeout=1)
        with self.assertRaises(grpc.RpcError) as caught:
            list(stream)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.DEADLINE_EXCEEDED)
        self.assertTrue(await_true(lambda: self.session.refresh().state == runtime_pb2.IDLE))
        self.assertEqual(self.session.stdout("print(y)"), b"6\n")


class Retention(DaemonTest):
    config = "retention_time { seconds: 2 }"

    def test_an_ended_execution_is_kept_for_a_while_and_never_runs_again(self):
        session = self.new_session()
        execution = new_id()
        session.run("n = 1", execution_id=execution)
        self.assertTrue(session.execution(execution).HasField("result"))

        def dropped():
            time.sleep(0.5)
            try:
                session.execution(execution)
                return False
            except grpc.RpcError as error:
                return error.code() == NOT_FOUND

        self.assertTrue(await_true(dropped, 20))
        self.assert_status(PRECONDITION, lambda: session.run("n = 2", execution_id=execution),
                           "EXECUTION_EXPIRED")
        self.assertEqual(session.stdout("print(n)"), b"1\n")


class Stopping(SessionTest):
    """Each way to stop a cell does what it promises, and the result tells the truth."""

    IGNORE = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"

    def begin(self, code, **fields):
        execution = new_id()
        call = self.session.start(code, execution_id=execution, **fields)
        next(call)
        time.sleep(0.3)
        return execution, call

    def check_truth(self, result, state, epoch_before):
        self.assertEqual(result.state, state, result)
        self.assertEqual(result.files, cell_pb2.KEPT)
        self.assertEqual(result.epoch, self.session.refresh().epoch)
        kept = self.session.stdout("print(globals().get('y'))")
        self.assertEqual(kept, b"7\n" if state == PRESERVED else b"None\n")
        if state == LOST:
            self.assertEqual(self.session.refresh().epoch, epoch_before + 1)
        else:
            self.assertEqual(self.session.refresh().epoch, epoch_before)

    def test_interrupt(self):
        self.session.run("y = 7")
        execution, call = self.begin(LOOP)
        self.assertTrue(self.session.interrupt(execution).delivered)
        result = list(call)[-1].result
        self.assert_outcome(result, "INTERRUPTED")
        self.assertEqual(result.error.name, "KeyboardInterrupt")
        self.check_truth(result, PRESERVED, 1)

    def test_interrupt_of_nothing_is_said_not_to_be_delivered(self):
        self.assertFalse(self.session.interrupt().delivered)
        execution = new_id()
        self.session.run("1", execution_id=execution)
        self.assertFalse(self.session.interrupt(execution).delivered)
        # ... and does not hit a later cell.
        self.assertEqual(self.session.outcome("import time; time.sleep(.5)"), "OK")

    def test_interrupt_never_kills(self):
        execution, call = self.begin("y = 7\n" + self.IGNORE + "for i in range(80): time.sleep(.1)")
        for _ in range(5):
            self.session.interrupt(execution)
            time.sleep(0.2)
        result = list(call)[-1].result
        self.assert_outcome(result, "OK")
        self.check_truth(result, PRESERVED, 1)

    def test_cancel(self):
        self.session.run("y = 7")
        execution, call = self.begin(LOOP)
        answer = self.session.cancel(execution).result
        self.assert_outcome(answer, "INTERRUPTED")
        self.assertEqual(answer, list(call)[-1].result)
        self.check_truth(answer, PRESERVED, 1)

    def test_cancel_kills_what_does_not_end_by_the_interrupt(self):
        self.session.run("y = 7; open('kept', 'w').write('k')")
        execution, call = self.begin(self.IGNORE + "while True: time.sleep(1)")
        began = time.monotonic()
        answer = self.session.cancel(execution, grace={"nanos": 300_000_000}).result
        self.assertLess(time.monotonic() - began, 5)
        self.assert_outcome(answer, "INTERRUPTED")
        events = list(call)
        self.assertIn("state", kinds(events), "the loss is told before the result")
        self.check_truth(answer, LOST, 1)
        self.assertEqual(self.session.download(b"kept"), b"k")

    def test_kill(self):
        self.session.run("y = 7; open('kept', 'w').write('k')")
        execution, call = self.begin("import subprocess\nsubprocess.Popen(['sleep', '1000'])\n" + LOOP)
        epoch = self.session.kill().epoch
        result = list(call)[-1].result
        self.assert_outcome(result, "INTERRUPTED")
        self.assertEqual(epoch, result.epoch)
        self.check_truth(result, LOST, 1)
        self.assertEqual(self.session.download(b"kept"), b"k")
        self.assertEqual(self.session.stdout(
            "import os; print(sum(p.isdigit() for p in os.listdir('/proc')))"), b"2\n")
        self.assertFalse(self.session.execution(execution).running)

    def test_kill_of_an_idle_interpreter(self):
        self.session.run("y = 7")
        self.session.kill()
        self.assertEqual(self.session.stdout("print(globals().get('y'))"), b"None\n")
        self.assertEqual(self.session.refresh().epoch, 2)

    def test_time_limit(self):
        self.session.run("y = 7")
        began = time.monotonic()
        result = self.session.run(LOOP, timeout={"seconds": 1})
        self.assert_outcome(result, "TIMEOUT_WALL")
        self.assertGreaterEqual(time.monotonic() - began, 1)
        self.assertGreaterEqual(result.usage.wall.seconds, 1)
        self.check_truth(result, PRESERVED, 1)

    def test_bad_timeouts(self):
        for timeout in ({"seconds": -1}, {"nanos": -1}, {"seconds": 10**12},
                        {"seconds": 1, "nanos": 2 * 10**9}):
            self.assert_status(INVALID, lambda: self.session.run("1", timeout=timeout),
                               "BAD_FIELD")
        self.assertEqual(self.session.outcome("1", timeout={"seconds": 10**9}), "OK",
                         "a longer one is clamped")


class Input(SessionTest):
    def ask(self, code, answers, **fields):
        execution, prompts, events = new_id(), [], []
        for event in self.session.start(code, execution_id=execution, offer_input=True, **fields):
            events.append(event)
            if event.WhichOneof("event") == "input_request":
                prompts.append((event.input_request.prompt, event.input_request.password))
                self.assertTrue(self.session.execution(execution).waiting_for_input)
                answer = answers.pop(0)
                if answer is not None:
                    self.session.provide_input(execution, answer)
                else:
                    self.session.provide_input(execution, end_of_file=True)
        return events, prompts

    def test_input_is_answered(self):
        events, prompts = self.ask(
            "import getpass\nname = input('name? '); word = getpass.getpass('word? ')\n"
            "print([name, word])", ["grüß".encode(), b"x"])
        self.assertEqual(prompts, [("name? ", False), ("word? ", True)])
        self.assertIn("['grüß', 'x']".encode(), text_of(events))
        self.assert_outcome(events[-1].result, "OK")

    def test_end_of_input(self):
        events, _ = self.ask("input()", [None])
        self.assertEqual(events[-1].result.error.name, "EOFError")

    def test_without_an_offer_it_is_the_end_at_once(self):
        began = time.monotonic()
        result = self.session.run("input('?')")
        self.assertLess(time.monotonic() - began, 5)
        self.assertEqual(result.error.name, "EOFError")

    def test_answers_that_nobody_waits_for(self):
        self.assert_status((PRECONDITION, NOT_FOUND),
                           lambda: self.session.provide_input("none", b"x"))
        execution = new_id()
        call = self.session.start(LOOP, execution_id=execution, offer_input=True)
        next(call)
        self.assert_status(PRECONDITION, lambda: self.session.provide_input(execution, b"x"),
                           "NO_INPUT_WANTED")
        self.session.interrupt(execution)
        list(call)
        self.assert_status(PRECONDITION, lambda: self.session.provide_input(execution, b"x"),
                           "NO_INPUT_WANTED")
        self.check_usable()

    def test_waiting_for_input_ends_by_time_interrupt_and_kill(self):
        result = self.session.run("input()", offer_input=True, timeout={"seconds": 1})
        self.assert_outcome(result, "TIMEOUT_WALL", PRESERVED)
        for act, state in ((self.session.interrupt, PRESERVED),
                           (lambda _: self.session.kill(), LOST)):
            execution = new_id()
            call = self.session.start("input()", execution_id=execution, offer_input=True)
            for event in call:
                if event.WhichOneof("event") == "input_request":
                    act(execution)
                if event.WhichOneof("event") == "result":
                    self.assertEqual(outcome(event.result), "INTERRUPTED")
                    self.assertEqual(event.result.state, state)
            self.check_usable()


if __name__ == "__main__":
    unittest.main()
