"""The competitors: one file each, and what they have in common."""
