"""Sets of up to 64 small numbers in one int, and random numbers. `bits.h` is its twin in the compiled engine."""

WORD = 0xFFFFFFFFFFFFFFFF


def bit(index: int) -> int:
    """The set of one number."""
    return 1 << index


def count(word: int) -> int:
    """How many numbers are in the set."""
    return word.bit_count()


def lowest(word: int) -> int:
    """The smallest number of a set that is not empty."""
    return (word & -word).bit_length() - 1


def pick(word: int, k: int) -> int:
    """The k-th smallest number of the set, from 0; the set holds more than k."""
    for _ in range(k):
        word &= word - 1
    return lowest(word)


def members(word: int) -> list[int]:
    """The numbers of a set, ascending."""
    found = []
    while word:
        found.append((word & -word).bit_length() - 1)
        word &= word - 1
    return found


def joined(lo: int, hi: int) -> int:
    """One set from its two words: the numbers 0 to 63, and those from 64 on."""
    return lo | hi << 64


def span(low: int, high: int) -> int:
    """The set of the numbers from `low` to `high`."""
    return (2 << high) - (1 << low)


def prefer(word: int, wanted: int) -> int:
    """The members of a set that are wanted, or the whole set where none is."""
    return word & wanted or word


def draw(state: list[int]) -> int:
    """The next 64 random bits of xoshiro256++, whose state is four words that are not all 0."""
    total = (state[0] + state[3]) & WORD
    drawn = ((total << 23 | total >> 41) + state[0]) & WORD
    shifted = state[1] << 17 & WORD
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = (state[3] << 45 | state[3] >> 19) & WORD
    return drawn


def split(word: int, number: int) -> int:
    """The number-th number, from 0, of the sequence splitmix64 that starts at a word."""
    mixed = word + (number + 1) * 0x9E3779B97F4A7C15 & WORD
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & WORD
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & WORD
    return mixed ^ mixed >> 31


def draw_below(state: list[int], n: int) -> int:
    """A number from 0 to n-1, each equally likely; 0 < n < 2^32."""
    product = (draw(state) >> 32) * n
    # Products of the incomplete last stripe are thrown away, so that no number is favoured.
    floor = (1 << 32) % n
    while product & 0xFFFFFFFF < floor:
        product = (draw(state) >> 32) * n
    return product >> 32
