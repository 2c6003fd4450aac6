"""Running a case and reading what happened, facet by facet."""
