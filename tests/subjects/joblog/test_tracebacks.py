"""Python exceptions as logs print them."""

from paddle_doctor.subjects.joblog import Link


def test_the_deepest_frame_in_the_users_own_code(worker):
    (error,) = worker(
        "step 1\n"
        "Traceback (most recent call last):\n"
        '  File "/home/me/train.py", line 9, in <module>\n'
        "    main()\n"
        '  File "/home/me/model.py", line 27, in forward\n'
        "    return self.fc(x)\n"
        '  File "/venv/lib/python3.11/site-packages/paddle/nn/layer/common.py", line 5, in forward\n'
        "    out = F.linear(\n"
        "          ^^^^^^^^^\n"
        "ValueError: bad shape\n"
    ).errors
    assert (error.type, error.message, error.line, error.end) == ("ValueError", "bad shape", 2, 10)
    assert error.own is not None
    assert (error.own.path, error.own.line, error.own.function) == ("/home/me/model.py", 27, "forward")
    assert error.deepest is not None
    assert not error.deepest.own


def test_links_of_a_chain(worker):
    errors = worker(
        "Traceback (most recent call last):\n"
        '  File "a.py", line 1, in f\n'
        "    x\n"
        "KeyError: 'k'\n"
        "\n"
        "During handling of the above exception, another exception occurred:\n"
        "\n"
        "Traceback (most recent call last):\n"
        '  File "a.py", line 3, in g\n'
        "    y\n"
        "RuntimeError: second\n"
        "\n"
        "The above exception was the direct cause of the following exception:\n"
        "\n"
        "Traceback (most recent call last):\n"
        '  File "a.py", line 5, in h\n'
        "    z\n"
        "pkg.errors.CustomError\n"
    ).errors
    assert [(each.type, each.link) for each in errors] == [
        ("KeyError", Link.FIRST),
        ("RuntimeError", Link.DURING),
        ("pkg.errors.CustomError", Link.CAUSED),
    ]


def test_thread_and_loader(worker):
    (error,) = worker(
        "Exception in thread Thread-1 (_thread_loop):\n"
        "Traceback (most recent call last):\n"
        '  File "/usr/lib/python3.11/threading.py", line 982, in run\n'
        "    self._target()\n"
        '  File "/v/lib/python3.11/site-packages/paddle/io/dataloader/fetcher.py", line 77, in fetch\n'
        "    data.append(self.dataset[idx])\n"
        '  File "/home/me/data.py", line 22, in __getitem__\n'
        "    raise KeyError('img')\n"
        "KeyError: 'img'\n"
    ).errors
    assert error.origin == "Thread-1 (_thread_loop)"
    assert error.in_loader


def test_an_exception_in_the_loader_itself_is_not_one_of_a_sample(worker):
    (error,) = worker(
        "Traceback (most recent call last):\n"
        '  File "/home/me/data.py", line 22, in main\n'
        "    loader = DataLoader(5)\n"
        '  File "/v/lib/python3.11/site-packages/paddle/io/dataloader/dataloader_iter.py", line 77, in __init__\n'
        "    for x in sampler:\n"
        "TypeError: 'int' object is not iterable\n"
    ).errors
    assert not error.in_loader


def test_a_paste_that_lost_its_indentation(worker):
    (error,) = worker(
        "Traceback (most recent call last):\n"
        'File "train.py", line 3, in <module>\n'
        "run: int\n"
        'File "train.py", line 7, in run\n'
        "raise Wrong\n"
        "ValueError: 3 is wrong\n"
    ).errors
    assert error.message == "3 is wrong"


def test_a_notebooks_traceback(worker):
    (error,) = worker(
        "---------------------------------------------------------------------------\n"
        "IndexError                                Traceback (most recent call last)\n"
        "/tmp/ipykernel_12/123.py in <module>\n"
        "      1 x = [1]\n"
        "----> 2 x[5]\n"
        "\n"
        "IndexError: list index out of range\n"
    ).errors
    assert (error.type, error.message) == ("IndexError", "list index out of range")


def test_an_exception_without_its_traceback(worker):
    (error,) = worker("[...]\nAttributeError: module 'x' has no attribute 'y'\n").errors
    assert (error.type, error.frames) == ("AttributeError", 0)


def test_a_traceback_that_breaks_off(worker):
    (error,) = worker('Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    main()\n').errors
    assert error.type == ""
    assert error.own is not None


def test_words_with_a_colon_after_a_traceback_are_no_exception(worker):
    errors = worker(
        'Traceback (most recent call last):\n  File "t.py", line 3, in f\n    main()\n[...]\nepoch: 3\ndone\n'
    ).errors
    assert [each.type for each in errors] == [""]


def test_the_cpp_header_opens_no_python_traceback(worker):
    assert worker("C++ Traceback (most recent call last):\n----\nNo stack trace in paddle\n").errors == ()


def test_what_the_console_says_while_ignoring_is_marked(worker):
    errors = worker(
        "Traceback (most recent call last):\n"
        '  File "a.py", line 1, in f\n'
        "OSError: first\n"
        "Exception ignored in: <function X.__del__ at 0x7f>\n"
        "Traceback (most recent call last):\n"
        '  File "b.py", line 1, in __del__\n'
        "AttributeError: '_shutdown'\n"
    ).errors
    assert [each.link for each in errors] == [Link.FIRST, Link.IGNORED]
