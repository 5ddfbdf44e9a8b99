"""Reading C++ as text, for the checks of this folder."""
import re


def blank(match):
    """What was matched, as spaces and line ends: positions stay."""
    return re.sub(r"[^\n]", " ", match[0])


def code_of(text):
    """The text without comments, strings, characters and preprocessor lines, each place where it was."""
    text = re.sub(r'R"(\w*)\(.*?\)\1"', blank, text, flags=re.S)
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\'', blank, text, flags=re.S)
    return re.sub(r"(?m)^\s*#(?:[^\n]*\\\n)*[^\n]*", blank, text)
