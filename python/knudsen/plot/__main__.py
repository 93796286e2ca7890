"""The command knudsen plot."""

import os

from ..command_line import FAILURE, clean, execute
from ..errors import Error
from . import options as command_line

_PICTURE, _COMPARISON = "picture.png", "compare.png"
_DOTS = {"png": 192, "svg": 96}  # per inch; of SVG, the maps in it


def main(words):
    options = command_line.read(words)
    from . import layout, sheet  # the libraries are loaded after the command line has been read
    from .scene import Scene

    own = len(options.arguments) == 1 and not options.output
    output = options.output or (os.path.join(options.arguments[0], _PICTURE) if own else _COMPARISON)
    if not options.output and not own and os.path.lexists(output):
        raise Error(f"'{output}' exists and is not replaced: name the picture with -o")
    scene = Scene(options)
    if output.endswith(".gif"):
        from .animation import animate

        frames = animate(scene, options.width)
        _write(frames.save, output, None)
        print(f"{clean(output)}: {frames.what}")
        return
    panels = sheet.compose(scene)
    page = layout.Layout(panels, sheet.title(scene), options.width)
    with layout.style(page.font):
        save_figure(page.draw(), output, options.arguments[0] if own else None)
    print(f"{clean(output)}: {_report(scene, panels, options)}")


def save_figure(figure, output, folder):
    """Write a figure in the format of the name; ``folder``: of the run to which the picture belongs, or None."""
    kind = output.rpartition(".")[2]
    _write(
        lambda file: figure.savefig(file, format=kind, dpi=_DOTS.get(kind, 200), metadata=_metadata(kind)),
        output,
        folder,
    )


def _write(save, output, folder):
    """Write the picture, by a function of an open file, under a temporary name first, so that it appears whole or not at all."""
    parent, name = os.path.split(output)
    temporary = os.path.join(parent, f".{name}.knudsen.tmp")
    created = False
    try:
        if os.path.isfile(temporary) and not os.path.islink(temporary):  # of a killed process
            os.unlink(temporary)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
        created = True
        with os.fdopen(descriptor, "wb") as file:
            save(file)
        if folder is None:
            os.replace(temporary, output)
        else:
            _adopt(folder)
    except OSError as error:
        raise Error(f"cannot write '{output}': {error.strerror or error}", FAILURE) from None
    finally:
        if created and os.path.lexists(temporary):
            os.unlink(temporary)


def _metadata(kind):
    """No date: the same results make the same file."""
    return {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)


def _adopt(folder):
    """The program puts the picture in its place, if it may, and enters it in its list of files."""
    from ..program import find_program, output_of

    output_of([find_program(), "plot", "--adopt", folder])


def _report(scene, panels, options):
    """What was drawn."""
    from .sheet import is_mean, time_text

    parts = [panel.what for panel in panels]
    if len(scene.sources) > 1:
        parts.append(f"{len(scene.sources)} runs")
    elif len(scene.states) == 1 and not scene.shows_amplitudes:
        state = scene.states[0]
        steady = state.source.iterates and "steady state"
        parts.append("time average" if is_mean(state) else steady or f"t = {time_text(scene, state)}")
    if options.reference:
        parts.append(f"{scene.shown} reference values")
    return clean("; ".join(parts))


if __name__ == "__main__":
    execute(main)
