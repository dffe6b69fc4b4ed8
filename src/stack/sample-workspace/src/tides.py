"""High water from the last one that was seen."""

from datetime import datetime, timedelta

# Half a lunar day.
BETWEEN_HIGH_WATERS = timedelta(hours=12, minutes=25)


def next_high_water(last: datetime, now: datetime) -> datetime:
    """The first high water after `now`."""
    while last <= now:
        last += BETWEEN_HIGH_WATERS
    return last


def next_high_waters(last: datetime, now: datetime, count: int) -> list[datetime]:
    """The next `count` high waters after `now`."""
    first = next_high_water(last, now)
    return [first + BETWEEN_HIGH_WATERS * i for i in range(1, count)]
