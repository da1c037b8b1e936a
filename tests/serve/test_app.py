"""The server without a network: what it answers, to whom, and what it refuses."""

import asyncio
import json
import re
import threading

import httpx
import pytest

from segtopic.cli import main
from segtopic.config import ServeConfig
from segtopic.runs import load_run
from segtopic.serve import workshop
from segtopic.serve.guard import HEADERS, Guard, host_fits
from segtopic.serve.server import live_server
from tests.training.planted import PHRASES, WORDS, planted_texts

A, B, C = WORDS[0][:3]
PHRASE = " ".join(PHRASES[0][0])
TEXT = f"{A} {PHRASE.upper()} {B}, {C}!"
HOSTILE = "<script>alert(1)</script> \u202e \U0001f600 \x00 " + TEXT


@pytest.fixture(scope="module")
def live(run):
    made = live_server(run, ServeConfig(port=0, max_characters=5_000))
    yield made
    made.workshop.close()
    made.listening.close()


def ask(live, *calls, host="127.0.0.1"):
    """Send requests at the same time: ``(method, path, keywords)`` each; answers in their order."""

    async def all_of_them():
        transport = httpx.ASGITransport(live.server.config.app, raise_app_exceptions=False)
        base = live.address.replace("127.0.0.1", host)
        async with httpx.AsyncClient(transport=transport, base_url=base) as client:
            return await asyncio.gather(
                *(client.request(method, path, **more) for method, path, more in calls)
            )

    return asyncio.run(all_of_them())


def get(live, path, **more):
    return ask(live, ("GET", path, more))[0]


def post(live, path, **more):
    return ask(live, ("POST", path, more))[0]


def detail(answer):
    (sentence,) = answer.json().values()
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize("n_best", [1, 4])
@pytest.mark.parametrize("text", [TEXT, HOSTILE.replace("\x00", ""), "", "only unknown words"])
def test_the_same_json_as_segment(live, run, tmp_path, capsys, text, n_best):
    source = tmp_path / "one.jsonl"
    source.write_text(json.dumps({"id": "one", "text": text}) + "\n")
    assert main(["segment", str(run.folder), str(source), "--json", "--k-best", str(n_best)]) == 0
    expected = json.loads(capsys.readouterr().out)
    given = {"text": text, "id": "one", "k_best": n_best}
    assert post(live, "api/segment", json=given).json() == expected


def test_marked_phrases_are_those_of_the_command(live, run, tmp_path, capsys):
    source = tmp_path / "one.jsonl"
    source.write_text(json.dumps({"id": "one", "text": TEXT}) + "\n")
    assert main(["segment", str(run.folder), str(source), "--json", "--phrases", "marked"]) == 0
    expected = json.loads(capsys.readouterr().out)
    given = {"text": TEXT, "id": "one", "phrases": "marked"}
    assert post(live, "api/segment", json=given).json() == expected
    assert expected["segments"]
    both = post(live, "api/segment", json={"text": TEXT, "phrases": "marked", "k_best": 2})
    assert both.status_code == 422
    assert "leave out k_best" in detail(both)


def test_marked_phrases_keep_to_what_was_decided(live):
    inner = TEXT.index(" ", len(A) + 1)
    given = {"text": TEXT, "phrases": "marked"}
    free = post(live, "api/segment", json=given).json()["segments"]
    assert any(segment["start"] < inner < segment["end"] for segment in free)
    cut = post(live, "api/segment", json={**given, "cut": [inner]}).json()
    assert not any(s["start"] < inner < s["end"] for s in cut["segments"])
    joined = post(live, "api/segment", json={**given, "join": [len(A), inner]}).json()
    assert joined["segments"][0]["text"] == f"{A} {PHRASE.upper()}"
    beyond = post(live, "api/segment", json={**given, "join": [TEXT.index(",")]})
    assert beyond.status_code == 422
    assert "no phrase goes beyond it" in detail(beyond)


def test_a_reading_of_marked_phrases_is_whole(live):
    given = {"text": TEXT, "phrases": "marked"}
    reading = post(live, "api/read", json=given).json()
    assert reading["segmented"] == post(live, "api/segment", json=given).json()
    assert len(reading["segment_topics"]) == len(reading["segmented"]["segments"])
    words = [TEXT[word["start"] : word["end"]] for word in reading["words"]]
    assert words == re.findall(r"\w+", TEXT)
    assert [(span["first"], span["last"]) for span in reading["spans"]] == [(0, 3), (4, 4)]
    best = max(reading["candidates"], key=lambda candidate: candidate["probability"])
    assert PHRASE.upper() in " ".join(words[best["first"] : best["last"] + 1])
    assert all(0 < candidate["probability"] <= 1 for candidate in reading["candidates"])


def test_a_reading_is_whole(live, run):
    reading = post(live, "api/read", json={"text": TEXT}).json()
    segmented = reading["segmented"]
    assert segmented == post(live, "api/segment", json={"text": TEXT}).json()
    assert len(reading["segment_topics"]) == len(segmented["segments"])
    assert {TEXT[w["start"] : w["end"]].lower() for w in reading["words"]} == {
        A,
        B,
        C,
        *PHRASES[0][0],
    }
    first = reading["spans"][0]
    assert (first["first"], first["last"]) == (0, 3)
    shares = [way["probability"] for way in first["alternatives"]]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) <= 1 + 5e-6 * len(shares)  # each is rounded to five digits
    best = {reading["words"][end]["end"] for end in first["alternatives"][0]["ends"]}
    assert best == {s["end"] for s in segmented["segments"] if s["end"] <= len(TEXT) - len(C) - 2}


def test_similar_documents_are_about_the_same(live, run):
    texts, labels = planted_texts(60)
    similar = post(live, "api/read", json={"text": texts[4]}).json()["similar"]
    numbers = [int(s["id"].removeprefix("planted-")) for s in similar if "planted" in s["id"]]
    assert numbers
    assert {int(labels[number]) for number in numbers} == {int(labels[4])}
    assert all(0 <= one["affinity"] <= 1 for one in similar)
    begun = [texts[number][:20] for number in numbers]
    assert [s["begins"][:20] for s in similar if "planted" in s["id"]] == begun


def test_a_boundary_is_cut_and_joined(live):
    inner = TEXT.index(" ", len(A) + 1)
    cut = post(live, "api/segment", json={"text": TEXT, "cut": [inner]}).json()
    assert inner in {segment["end"] for segment in cut["segments"]}
    joined = post(live, "api/segment", json={"text": TEXT, "join": [len(A), inner]}).json()
    assert joined["segments"][0]["text"] == f"{A} {PHRASE.upper()}"
    assert joined["segments"][0]["probability"] == 1


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({}, "text: Field required"),
        ({"text": 3}, "text: Input should be a valid string"),
        ({"text": "x", "joins": []}, "joins: Extra inputs are not permitted"),
        ({"text": TEXT, "cut": ["<b>"]}, "cut.0: Input should be a valid integer"),
        ({"text": TEXT, "cut": [1.5]}, "cut.0: Input should be a valid integer"),
        ({"text": TEXT, "cut": [-1]}, "cut.0: Input should be greater than or equal to 0"),
        ({"text": TEXT, "cut": [10**9]}, "cut: no known word ends at character 1000000000"),
        ({"text": TEXT, "cut": list(range(10_000))}, "cut: List should have at most"),
        ({"text": TEXT, "k_best": 10**6}, "k_best: Input should be less than or equal to 50"),
        ([TEXT], "Input should be"),
    ],
)
def test_wrong_fields_are_a_sentence(live, body, sentence):
    answer = post(live, "api/segment", json=body)
    assert answer.status_code == 422
    assert sentence in detail(answer)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"text": ' * 10_000,
        b'{"text": "x", "cut": [' + b"9" * 100_000 + b"]}",
        b'{"text": "x", "k_best": NaN}',
        b'{"text": "x", "cut": "\\udfff"}',
        b'{"text": "x", "\\udfff": 1}',
    ],
    ids=range(9),
)
def test_malformed_bodies_are_refused(live, body):
    answer = post(live, "api/segment", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert detail(answer)


def test_hostile_text_comes_back_as_it_was(live):
    answer = post(live, "api/segment", json={"text": HOSTILE})
    assert answer.json()["text"] == HOSTILE
    assert answer.headers["content-type"] == "application/json"


def test_half_a_surrogate_pair_becomes_the_sign_for_it(live):
    body = b'{"text": "x \\ud800 y", "id": "\\udfff"}'
    answer = post(live, "api/segment", content=body, headers={"Content-Type": "application/json"})
    assert (answer.json()["text"], answer.json()["id"]) == ("x \ufffd y", "\ufffd")


def test_other_kinds_of_content_are_refused(live):
    answer = post(live, "api/segment", content=json.dumps({"text": TEXT}))
    assert answer.status_code == 422


def test_long_texts_and_large_bodies_are_refused(live):
    answer = post(live, "api/segment", json={"text": "x" * 5_001})
    assert answer.status_code == 413
    assert "5,001 characters, but at most 5,000" in detail(answer)
    answer = post(live, "api/segment", json={"text": "x" * 300_000})
    assert answer.status_code == 413
    assert "bytes" in detail(answer)

    async def endless():
        while True:
            yield b" " * 10_000

    assert post(live, "api/segment", content=endless()).status_code == 413


def test_a_body_that_never_ends_is_given_up(monkeypatch):
    monkeypatch.setattr("segtopic.serve.guard.SECONDS_FOR_A_BODY", 0.01)
    sent = []

    async def slow():
        await asyncio.sleep(30)

    async def send(message):
        sent.append(message)

    guard = Guard(None, "token", "localhost", 100)
    headers = [(b"host", b"localhost")]
    scope = {"type": "http", "path": "/token/api/read", "headers": headers}
    asyncio.run(guard(scope, slow, send))
    assert sent[0]["status"] == 408


@pytest.mark.parametrize("path", ["/", "/x/", "/favicon.ico", "/api/run", "/openapi.json", "/%00/"])
def test_without_the_token_there_is_nothing(live, path):
    answer = get(live, f"http://127.0.0.1{path}")
    assert answer.status_code == 404
    assert "token" in detail(answer)


@pytest.mark.parametrize("path", ["x", "api/", "../x", "%2e%2e/style.css", "page/live.js", "docs"])
def test_other_paths_are_not_there(live, path):
    assert get(live, path).status_code in (404, 405)


def test_other_methods_are_not_allowed(live):
    assert get(live, "api/read").status_code in (404, 405)
    assert post(live, "api/run").status_code == 405
    (answer,) = ask(live, ("OPTIONS", "api/read", {"headers": {"Origin": "http://evil.example"}}))
    assert answer.status_code in (404, 405)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "10.0.0.1"])
def test_another_name_of_this_machine_is_refused(live, host):
    (answer,) = ask(live, ("GET", "", {}), host=host)
    assert answer.status_code == 421


@pytest.mark.parametrize(
    ("header", "listening", "fits"),
    [
        ("localhost", "127.0.0.1", True),
        ("localhost:1", "::1", True),
        ("[::1]:80", "127.0.0.1", True),
        ("127.9.9.9", "127.0.0.1", True),
        ("", "127.0.0.1", False),
        ("localhost:80:80", "127.0.0.1", False),
        ("localhost:x", "127.0.0.1", False),
        ("[::1", "0.0.0.0", False),
        ("library.example:80", "library.example", True),
        ("evil.example", "library.example", False),
        ("evil.example", "0.0.0.0", False),
        ("192.168.0.7:80", "192.168.0.7", True),
        ("192.168.0.8:80", "192.168.0.7", False),
    ],
)
def test_hosts(header, listening, fits):
    assert host_fits(header, listening) is fits


def test_every_answer_is_guarded_and_none_is_shared(live):
    answers = [
        get(live, ""),
        get(live, "style.css"),
        get(live, "nowhere"),
        get(live, "http://127.0.0.1/"),
        post(live, "api/read", json={"text": TEXT}, headers={"Origin": "http://evil.example"}),
    ]
    for answer in answers:
        for name, value in HEADERS.items():
            assert answer.headers[name] == value
        assert not [name for name in answer.headers if name.startswith("access-control")]
    assert "unsafe" not in HEADERS["content-security-policy"]


def test_fifty_clients_get_what_each_would_get_alone(live):
    texts, _ = planted_texts(50, seed=9)
    texts = [text[:200] for text in texts]
    calls = [("POST", "api/segment", {"json": {"text": text}}) for text in texts]
    together = ask(live, *calls)
    assert {answer.status_code for answer in together} == {200}
    assert [answer.json()["text"] for answer in together] == texts
    alone = [post(live, "api/segment", json={"text": text}).json() for text in texts[::10]]
    assert [answer.json() for answer in together[::10]] == alone


def test_a_full_queue_is_told_at_once():
    shop = workshop.Workshop(longest_queue=2)
    open_door = threading.Event()

    async def crowd():
        waiting = [asyncio.ensure_future(shop.do(open_door.wait)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(workshop.Busy):
            await shop.do(open_door.wait)
        open_door.set()
        assert await asyncio.gather(*waiting) == [True, True]
        assert await shop.do(lambda: 3) == 3  # there is room again

    asyncio.run(crowd())
    shop.close()


def test_a_busy_server_asks_for_patience(live, monkeypatch):
    monkeypatch.setattr(live.workshop, "_longest_queue", 0)
    answer = post(live, "api/read", json={"text": TEXT})
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"
    assert "waiting" in detail(answer)


def test_the_reference_tells_every_call_and_field_and_loads_nothing(live):
    document = get(live, "openapi.json").json()
    assert set(document["paths"]) == {"/api/run", "/api/segment", "/api/read"}
    page = get(live, "api").text
    assert "http" not in page.replace("http-equiv", "")
    for path in document["paths"]:
        assert f"{path[1:]}</code>" in page
    for name, schema in document["components"]["schemas"].items():
        if not name.startswith(("HTTP", "Validation")):
            assert f'id="{name}"' in page
            assert all(f"<code>{field}</code>" in page for field in schema["properties"])


def test_answers_have_the_shape_of_their_document(live):
    facts = get(live, "api/run").json()
    assert [topic["number"] for topic in facts["topics"]] == [0, 1, 2]
    assert facts["max_characters"] == 5_000


def test_the_page_escapes_names(live):
    page = get(live, "").text
    assert "hostile &amp; &lt;small&gt;.jsonl" in page
    assert "<small>." not in page
    assert page.count("<script") == 2


def test_a_run_without_its_documents_still_reads(run, tmp_path):
    bare = load_run(run.save(tmp_path / "bare", documents=False).folder)
    made = live_server(bare, ServeConfig(port=0))
    try:
        reading = post(made, "api/read", json={"text": TEXT}).json()
        assert reading["similar"] == []
        assert reading["segmented"]["segments"]
        assert get(made, "api/run").json()["topics"][0]["label"] == "topic 0"
        assert "was saved without its documents" in get(made, "").text
    finally:
        made.workshop.close()
        made.listening.close()


def test_texts_that_are_gone_leave_the_documents_without_words(run, tmp_path):
    moved = run.reading_from(str(tmp_path / "nowhere.jsonl"))
    made = live_server(moved, ServeConfig(port=0))
    try:
        similar = post(made, "api/read", json={"text": TEXT}).json()["similar"]
        assert similar
        assert {one["begins"] for one in similar} == {""}
    finally:
        made.workshop.close()
        made.listening.close()
