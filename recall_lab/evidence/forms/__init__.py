"""The forms a brief is saved in: each renders a brief, and finds its quotations again; pure."""
