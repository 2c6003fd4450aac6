"""Running a case, and its observation facet by facet."""
