"""One folder for each game: the numbered rules, the deal that plays by them, and its JSON."""
