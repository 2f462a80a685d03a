"""The one exception a user's own input can raise."""


class InputError(ValueError):
    """What the user gave cannot be used; the message is one sentence that says what was found and what to do.

    The command line prints the sentence and exits with code 2. Every other exception is a fault of ours.

    >>> import meshtide as mt
    >>> try:
    ...     mt.load_mesh("gone.obj")
    ... except mt.InputError as error:
    ...     print(error)
    gone.obj: no such file
    """
