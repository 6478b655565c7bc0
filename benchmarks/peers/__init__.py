"""Who takes part: samesum and four others, each called in its best legal way."""
