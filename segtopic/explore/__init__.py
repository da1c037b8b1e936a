"""What analysts ask of a run: its topics as a table of documents, over time, by group, found."""
