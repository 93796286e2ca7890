"""The exception of the package."""


class Error(Exception):
    """A run that cannot be read, or that failed.

    ``code`` is the exit code of the program (2 bad input, 3 numerical failure, 4 input/output, 130
    interrupted, 128 + n ended by signal n); None means bad input that was found without the program.
    """

    def __init__(self, message, code=None):
        super().__init__(message)
        self.code = code
