"""Shares of topics over time and by group, some with names that try to break out of the page."""

from tests.report.reported import IMAGE, SCRIPT

HOSTILE = [SCRIPT, IMAGE, "=1+1", "{{ 7 * 7 }}", "\u202egnp.exe"]


def content(shares, values=None, **more):
    """Intervals a quarter around the shares."""
    values = values or [str(2014 + place) for place in range(len(shares[0]))]
    topics = [
        {
            "topic": number,
            "share": share,
            "low": [0.75 * value for value in share],
            "high": [1.25 * value for value in share],
            "phrases": [[f"phrase of {value}", "another"] for value in values],
        }
        for number, share in enumerate(shares)
    ]
    return {"column": "year", "values": values, "topics": topics, **more}
