"""Sounds that tests make: words of two tones, written as files."""

import numpy as np
import soundfile

RATE = 8_000
TONES = {"A": 400, "B": 900, "C": 1700}


def tone(letter, seconds=0.12, rate=RATE):
    time = np.arange(int(seconds * rate)) / rate
    return (0.4 * np.sin(2 * np.pi * TONES[letter] * time)).astype(np.float32)


def spoken(word, rate=RATE, seed=0):
    """Each letter a tone, silence around them, a little noise."""
    random = np.random.default_rng([seed, *word.encode()])
    quiet = np.zeros(int(0.05 * rate), np.float32)
    parts = [quiet, *(part for letter in word for part in (tone(letter, rate=rate), quiet))]
    samples = np.concatenate(parts)
    return samples + random.normal(0, 0.005, len(samples)).astype(np.float32)


def write_sound(path, samples, rate=RATE, **more):
    soundfile.write(path, samples, rate, **more)
    return path


def words(n_words, seed=0):
    random = np.random.default_rng(seed)
    return ["".join(random.choice(list(TONES), random.integers(1, 4))) for _ in range(n_words)]


def folder_of_sounds(folder, n_words=24):
    """Sound files with what is said in text files beside them."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, word in enumerate(words(n_words)):
        write_sound(folder / f"{number:03}.wav", spoken(word, seed=number))
        (folder / f"{number:03}.txt").write_text(word + "\n")
    return folder
