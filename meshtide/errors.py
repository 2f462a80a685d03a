"""The one exception a user's own input can raise."""


def printable(text: str) -> str:
    """Text with every letter that cannot be printed written out, so that no terminal obeys what a file says.

    >>> printable("a\\x1b[31m red\\nname")
    'a\\\\x1b[31m red\\\\nname'
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


MOST_LETTERS = 1_500  # of a sentence; what a file says may be endless


def bounded(sentence: str) -> str:
    """A sentence without its middle where it is far too long: it begins with the file, and ends with what to do."""
    if len(sentence) <= MOST_LETTERS:
        return sentence
    return f"{sentence[: MOST_LETTERS - 300]} … {sentence[-250:]}"


class InputError(ValueError):
    """What the user gave cannot be used; the message is one sentence that says what was found and what to do.

    The command line prints the sentence and exits with code 2. Every other exception is a fault of ours. A sentence may
    quote a file or its name, so that letters which cannot be printed are written out in it.

    >>> import meshtide as mt
    >>> try:
    ...     mt.load_mesh("gone.obj")
    ... except mt.InputError as error:
    ...     print(error)
    gone.obj: no such file
    """

    def __init__(self, sentence: object = "") -> None:
        super().__init__(bounded(printable(str(sentence))))

    def without(self, place: object) -> str:
        """The sentence without the file or shape that it begins with."""
        return str(self).removeprefix(f"{printable(str(place))}: ")
