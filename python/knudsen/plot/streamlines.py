"""Streamlines of a plane flow at even distances, closed where the flow returns to its start."""

from math import floor, hypot

import numpy as np

_STEPS = 6  # of a line over the distance to its neighbour
_LONGEST = 3000  # steps of a line each way
_NODES = 160  # of the longer side of the even grid on which velocities are stored
# In units of the distance between lines:
_END = 0.4  # a line ends so near to another,
_COIL = 0.3  # or to itself, after some way
_CLOSE = 0.15  # a line that returns so near to its start is closed
_EDGE = 0.25  # a line ends so near to the edge, along which it runs
_SHORTEST = 6  # length of a line that is kept;
_RING = 2.5  # rings may be smaller
_FROM_EDGE = 0.5  # lines do not begin nearer to the edge


def trace(size, velocity, apart, slow):
    """Lines as arrays [points][2] of a flow in the box [0, size[0]] x [0, size[1]].

    ``velocity(x, y)`` gives both components [y][x] on the nodes x and y, nan where there is no gas.  Neighbours have the distance ``apart``;
    where the speed is below ``slow`` the flow rests.
    """
    return _Tracer(size, velocity, apart, slow).trace_all()


class _Tracer:
    def __init__(self, size, velocity, apart, slow):
        self.size, self.apart, self.slow, self.step = size, apart, slow, apart / _STEPS
        longer = max(size)
        self.counts = [max(8, int(_NODES * length / longer)) for length in size]
        nodes = [np.linspace(0, length, n + 1) for length, n in zip(size, self.counts)]
        u, v = velocity(*nodes)
        self.nodes, self.speed = nodes, np.nan_to_num(np.hypot(u, v))
        # Lists are read faster than arrays, one number at a time.
        self.u, self.v = u.tolist(), v.tolist()
        self.per_length = [n / length for n, length in zip(self.counts, size)]
        self.lines, self.bins = [], {}

    def direction(self, x, y):
        """Unit vector along the flow; None where it rests, or outside."""
        if not (0 <= x <= self.size[0] and 0 <= y <= self.size[1]):
            return None
        s, t = x * self.per_length[0], y * self.per_length[1]
        i, j = min(int(s), self.counts[0] - 1), min(int(t), self.counts[1] - 1)
        s, t = s - i, t - j
        a, b, c, d = (1 - s) * (1 - t), s * (1 - t), (1 - s) * t, s * t
        low, high = self.u[j], self.u[j + 1]
        u = a * low[i] + b * low[i + 1] + c * high[i] + d * high[i + 1]
        low, high = self.v[j], self.v[j + 1]
        v = a * low[i] + b * low[i + 1] + c * high[i] + d * high[i + 1]
        speed = hypot(u, v)
        return (u / speed, v / speed) if speed > self.slow else None

    def advance(self, x, y, step):
        """One step of the classical Runge-Kutta method; None where the flow rests or leaves the box."""
        along = (0.0, 0.0)
        dx = dy = 0.0
        for reach, weight in ((0, 1 / 6), (0.5, 1 / 3), (0.5, 1 / 3), (1, 1 / 6)):
            along = self.direction(x + reach * step * along[0], y + reach * step * along[1])
            if along is None:
                return None
            dx, dy = dx + weight * along[0], dy + weight * along[1]
        x, y = x + step * dx, y + step * dy
        return (x, y) if 0 <= x <= self.size[0] and 0 <= y <= self.size[1] else None

    def neighbours(self, bins, x, y):
        i, j = floor(x / self.apart), floor(y / self.apart)
        for row in (j - 1, j, j + 1):
            for column in (i - 1, i, i + 1):
                yield from bins.get((column, row), ())

    def store(self, bins, x, y, index=0):
        bins.setdefault((floor(x / self.apart), floor(y / self.apart)), []).append((x, y, index))

    def is_near(self, x, y, distance):
        return any(hypot(a - x, b - y) < distance for a, b, _ in self.neighbours(self.bins, x, y))

    def is_coiled(self, own, x, y, index):
        """Whether the line winds round itself; near its start it may be about to close."""
        most, gone = _COIL * self.apart, 3 * _STEPS
        for a, b, at in self.neighbours(own, x, y):
            is_start = abs(at) < _STEPS // 2 and (at < 0) == (index < 0)
            if abs(index - at) > gone and not is_start and hypot(a - x, b - y) < most:
                return True
        return False

    def is_along_edge(self, before, at):
        edge = _EDGE * self.apart
        for k in (0, 1):
            close = at[k] < edge or at[k] > self.size[k] - edge
            if close and abs(at[k] - before[k]) < 0.2 * abs(at[1 - k] - before[1 - k]):
                return True
        return False

    def closing_share(self, start, before, at):
        """The part of the last step after which the line has returned to its start; None if it has not."""
        step = (at[0] - before[0], at[1] - before[1])
        back = (start[0] - before[0], start[1] - before[1])
        length = hypot(*step)
        share = (step[0] * back[0] + step[1] * back[1]) / length**2
        aside = abs(step[0] * back[1] - step[1] * back[0]) / length
        return share if 0 < share <= 1 and aside < _CLOSE * self.apart else None

    def follow(self, start, sign, own):
        """Points along the flow (sign 1) or against it, and whether the line is closed."""
        points, at = [start], start
        self.store(own, *start)
        for index in range(1, _LONGEST):
            before, at = at, self.advance(*at, sign * self.step)
            if at is None:
                break
            if sign > 0 and index > _STEPS // 2:
                share = self.closing_share(start, before, at)
                if share is not None:
                    end = self.advance(*before, share * self.step) or start
                    return _closed([*points, end]), True
            if (
                self.is_near(*at, _END * self.apart)
                or self.is_coiled(own, *at, sign * index)
                or self.is_along_edge(before, at)
            ):
                break
            points.append(at)
            self.store(own, *at, sign * index)
        return points, False

    def is_within(self, x, y):
        edge = _FROM_EDGE * self.apart * (1 - 1e-9)
        return edge <= x <= self.size[0] - edge and edge <= y <= self.size[1] - edge

    def try_place(self, x, y):
        """A line through a place that is free."""
        if not self.is_within(x, y) or self.direction(x, y) is None or self.is_near(x, y, 0.999 * self.apart):
            return
        own = {}
        points, closed = self.follow((x, y), 1, own)
        if not closed:
            points = self.follow((x, y), -1, own)[0][:0:-1] + points
        if len(points) < (_RING if closed else _SHORTEST) * _STEPS:
            return
        self.lines.append(points)
        for at in points:
            self.store(self.bins, *at)

    def try_beside(self, line):
        for (x, y), (nx, ny) in list(zip(line, line[1:]))[:: _STEPS // 2]:
            reach = self.apart / max(hypot(nx - x, ny - y), 1e-300)
            for side in (-1, 1):
                self.try_place(x - side * reach * (ny - y), y + side * reach * (nx - x))

    def trace_all(self):
        """First where the flow is fastest, then beside each line, then where room is left."""
        inside = [np.array([self.is_within(x, 0.5 * self.size[1]) for x in self.nodes[0]]),
                  np.array([self.is_within(0.5 * self.size[0], y) for y in self.nodes[1]])]
        speed = np.where(inside[1][:, None] & inside[0][None, :], self.speed, -1)
        row, column = np.unravel_index(int(speed.argmax()), speed.shape)
        self.try_place(float(self.nodes[0][column]), float(self.nodes[1][row]))
        done = 0
        for y in np.arange(0.5 * self.apart, self.size[1], 0.5 * self.apart).tolist():
            for x in np.arange(0.5 * self.apart, self.size[0], 0.5 * self.apart).tolist():
                while done < len(self.lines):
                    self.try_beside(self.lines[done])
                    done += 1
                self.try_place(x, y)
        return [np.array(line) for line in self.lines]


def _closed(points):
    """The way back misses the start by a little: each point takes its share."""
    last = len(points) - 1
    miss = (points[0][0] - points[last][0], points[0][1] - points[last][1])
    return [(x + miss[0] * i / last, y + miss[1] * i / last) for i, (x, y) in enumerate(points)]
